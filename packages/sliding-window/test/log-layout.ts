/** An entry: all that was granted up to its millisecond, since the running total was last 0. */
export interface Entry {
  readonly total: number;
  readonly atMs: number;
}

/** A log as it lies in its string. */
export interface StoredLog {
  /** The first entry that counted at the last write. */
  readonly head: number;
  /** The running total before it. */
  readonly base: number;
  readonly entries: readonly Entry[];
  /** For how many entries there is room. */
  readonly slots: number;
}

export const HEADER_BYTES = 44;
export const ENTRY_BYTES = 12;
/** Where totals, and the dates of entries, begin again. */
const WRAP = 2 ** 48;

/** What a string says, by the layout that the README describes. */
export function readLog(bytes: Buffer): StoredLog {
  const tail = bytes.readUInt32LE(0);
  const last = { total: bytes.readUIntLE(4, 6), atMs: readUInt56(bytes, 10) };
  const head = bytes.readUInt32LE(17);
  const base = bytes.readUIntLE(21, 6);
  const first = { total: bytes.readUIntLE(34, 6), atMs: readUInt56(bytes, 27) };
  const slots = bytes.readUInt32LE(40);
  const entries = Array.from({ length: tail }, (_, index) => {
    const at = HEADER_BYTES + ENTRY_BYTES * index;
    const [total, date] = [bytes.readUIntLE(at, 6), bytes.readUIntLE(at + 6, 6)];
    // the last entry is the latest: any other lies before it by less than what a date can tell
    return { total, atMs: last.atMs - ((((last.atMs - date) % WRAP) + WRAP) % WRAP) };
  });
  const stored = { head, base, entries, slots };
  if (!isEntry(last, entries.at(-1)) || !isEntry(first, entries[head])) {
    throw new Error(`the header says ${JSON.stringify({ first, last })}, but not the entries`);
  }
  return stored;
}

/** The string for a log of grants of one unit each, of which all count; with an eighth to spare, or room for so many. */
export function writeLog(
  datesMs: readonly number[],
  spare: number = Math.max(3, Math.ceil(datesMs.length / 8)),
): Buffer {
  const count = datesMs.length;
  const slots = count + spare;
  const bytes = Buffer.alloc(HEADER_BYTES + ENTRY_BYTES * slots);
  const [firstMs = 0, lastMs = 0] = [datesMs[0], datesMs.at(-1)];
  bytes.writeUInt32LE(count, 0);
  bytes.writeUIntLE(count, 4, 6);
  writeUInt56(bytes, lastMs, 10);
  writeUInt56(bytes, firstMs, 27);
  bytes.writeUIntLE(1, 34, 6);
  bytes.writeUInt32LE(slots, 40);
  for (const [index, atMs] of datesMs.entries()) {
    const at = HEADER_BYTES + ENTRY_BYTES * index;
    bytes.writeUIntLE(index + 1, at, 6);
    bytes.writeUIntLE(atMs % WRAP, at + 6, 6);
  }
  return bytes;
}

function isEntry(said: Entry, found: Entry | undefined): boolean {
  return said.total === found?.total && said.atMs === found.atMs;
}

function readUInt56(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, 6) + bytes.readUInt8(at + 6) * WRAP;
}

function writeUInt56(bytes: Buffer, value: number, at: number): void {
  bytes.writeUIntLE(value % WRAP, at, 6);
  bytes.writeUInt8(Math.floor(value / WRAP), at + 6);
}
