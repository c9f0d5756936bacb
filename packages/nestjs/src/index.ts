export const NOT_YET: boolean = true;
