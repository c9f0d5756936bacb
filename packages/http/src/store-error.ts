/** Whether a store failed. By the code, not by the class: there may be two copies of a package. */
export function isStoreError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_SLUICE_STORE" || error.code === "ERR_SLUICE_STORE_TIMEOUT";
}
