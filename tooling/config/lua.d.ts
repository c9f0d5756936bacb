/** A Lua file is imported as its text, without full-line comments, indentation and blank lines. */
declare module "*.lua" {
  const text: string;
  export default text;
}

/** In tests only: a Lua file as it stands. */
declare module "*.lua?raw" {
  const text: string;
  export default text;
}
