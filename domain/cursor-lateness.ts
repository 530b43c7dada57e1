/**
 * Lateness (ms; null: none) as an integer for a cursor: the bits of its single-precision float, which the database stores, so
 * that nothing is lost. Source: IEEE 754, binary32.
 */
export function writeCursorLateness(lateMs: number | null): number {
  if (lateMs === null) return NONE;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, lateMs);
  return view.getUint32(0);
}

/** Reads what `writeCursorLateness` has written; null for none, and for what it never writes. */
export function readCursorLateness(bits: number): number | null {
  if (!Number.isInteger(bits) || bits < 0 || bits >= NONE) return null;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  const lateMs = view.getFloat32(0);
  return Number.isFinite(lateMs) ? lateMs : null;
}

const NONE = 2 ** 32;
