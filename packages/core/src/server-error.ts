/**
 * Before Redis 7 an error within a script was told in words of its own:
 * `ERR Error running script (call to f_<sha>): @user_script:12: WRONGTYPE Operation ...`.
 */
const OLDER_WRAPPING = /^(?:ERR )?Error running script \(call to \w+\):(?: ?@\w+: ?\d+:)* ?-?/;
const CODE = /^([A-Z][A-Z0-9]+)(?: |$)/;

/** States of the whole server, in which it answers no call. */
const SERVER_WIDE = new Set([
  "BUSY",
  "CLUSTERDOWN",
  "LOADING",
  "MASTERDOWN",
  "MISCONF",
  "NOAUTH",
  "NOPERM",
  "NOREPLICAS",
  "OOM",
  "READONLY",
  "WRONGPASS",
]);

/**
 * The code of a server's error reply, such as `"OOM"`; `"ERR"` where there is none but that. Undefined for what no server
 * said: a client's own error.
 */
export function serverCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const told = error.message.replace(OLDER_WRAPPING, "");
  const isWrapped = told !== error.message;
  const [, code] = CODE.exec(told) ?? [];
  if (code !== "ERR") return code ?? (isWrapped ? "ERR" : undefined);
  // some servers and proxies put it before a code of their own
  const said = told.slice("ERR ".length);
  // what Redis 7 says within a script
  if (/^The user executing the script can't /.test(said)) return "NOPERM";
  const [, inner] = CODE.exec(said) ?? [];
  return inner ?? code;
}

/**
 * Whether an error reply is about the whole server, as against a single key: there the server is well, and so are other
 * keys.
 */
export function isServerWide(code: string, message: string): boolean {
  // of the keys that it may touch, not of the commands that it may call
  if (code === "NOPERM") return !/\baccess\b.* keys?\b/i.test(message);
  if (code === "ERR") return /unknown command|max number of clients|protocol error/i.test(message);
  return SERVER_WIDE.has(code);
}
