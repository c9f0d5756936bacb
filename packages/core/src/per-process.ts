/**
 * What must be one per process, made on first use. It lives on `globalThis`, since the ESM and the CommonJS copy of
 * a package may both be loaded; `version` keeps copies apart whose idea of the thing differs.
 */
export function perProcess<T>(thing: string, version: number, make: () => T): T {
  const symbol = Symbol.for(`@sluice/core/${thing}.${version}`);
  const found: T | undefined = Reflect.get(globalThis, symbol);
  if (found !== undefined) return found;
  const made = make();
  Reflect.set(globalThis, symbol, made);
  return made;
}
