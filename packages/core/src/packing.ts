import type { Numbers } from "./algorithm-definition.js";

/** Of a double. */
export const BYTES_PER_NUMBER = 8;

/** Numbers as little-endian doubles, one after the other: what `struct.unpack('<dd…')` reads in Redis. */
export function packNumbers(...lists: readonly Numbers[]): Uint8Array {
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const bytes = new Uint8Array(count * BYTES_PER_NUMBER);
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const list of lists) {
    for (const number of list) {
      view.setFloat64(offset, number, true);
      offset += BYTES_PER_NUMBER;
    }
  }
  return bytes;
}

/** The numbers that Redis packed; undefined when these are not `count` whole numbers. */
export function unpackNumbers(bytes: Uint8Array, count: number): number[] | undefined {
  if (bytes.length !== count * BYTES_PER_NUMBER) return undefined;
  return numbersAt(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, count);
}

/** The same, somewhere among other bytes. */
export function numbersAt(view: DataView, offset: number, count: number): number[] | undefined {
  if (offset + count * BYTES_PER_NUMBER > view.byteLength) return undefined;
  const numbers: number[] = [];
  for (let i = 0; i < count; i++) {
    const number = view.getFloat64(offset + i * BYTES_PER_NUMBER, true);
    if (!Number.isSafeInteger(number)) return undefined;
    numbers.push(number);
  }
  return numbers;
}

/** Bytes one after the other. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
