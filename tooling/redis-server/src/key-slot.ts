export const SLOTS = 16_384;

/**
 * The slot of a cluster that a key belongs to: CRC-16/XMODEM of the key, or of its hash tag.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function keySlot(key: string): number {
  const tag = /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
  return crc16(Buffer.from(tag ?? key)) % SLOTS;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
