export const PLACEHOLDER: string = "placeholder";
export class SharedError extends Error {}
