/** Pieces from this size on are kept as they are; smaller ones are copied together. */
const PIECE_MIN = 4 * 1024;
const BLOCK_MAX = 64 * 1024;

/**
 * The bytes of a body that have arrived. They are kept in the pieces in which they came, since joining them would need
 * their memory twice. Small pieces are joined, so that a body of many takes no more memory than one of few.
 */
export class ReceivedBytes {
  readonly #pieces: Uint8Array[] = [];
  /** Where each piece begins. */
  readonly #starts: number[] = [];
  /** The rest of the last piece, where small pieces are copied to. */
  #spare: Uint8Array = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** In how many pieces of memory they are. */
  get pieceCount(): number {
    return this.#pieces.length;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const isFirst = this.#pieces.length === 0;
    // A view keeps all of its buffer in memory.
    const keepsMore = piece.buffer.byteLength > 2 * piece.length + PIECE_MIN;
    if ((isFirst || piece.length >= PIECE_MIN) && !keepsMore) this.#append(piece);
    else this.#copy(piece);
  }

  /** The bytes from `from` to before `until`, or to the last; a copy where they are in several pieces. */
  slice(from: number, until: number): Buffer {
    const to = Math.min(until, this.#length);
    let n = this.#pieceAt(from);
    const first = this.#pieces[n];
    if (first === undefined || from >= to) return Buffer.alloc(0);
    const start = from - (this.#starts[n] as number);
    if (start + to - from <= first.length) return asBuffer(first.subarray(start, start + to - from));
    const joined = Buffer.allocUnsafeSlow(to - from);
    joined.set(first.subarray(start));
    for (let at = first.length - start; at < joined.length; ) {
      const piece = this.#pieces[++n] as Uint8Array;
      joined.set(piece.subarray(0, joined.length - at), at);
      at += piece.length;
    }
    return joined;
  }

  /** Lets go of the pieces that end before `to`. They must not be read any more. */
  forget(to: number): void {
    for (let n = this.#pieceAt(to) - 1; n >= 0 && this.#pieces[n] !== EMPTY; n--) this.#pieces[n] = EMPTY;
  }

  /** The index of the piece that has the byte at `at`. */
  #pieceAt(at: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return low;
  }

  #append(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#starts.push(this.#length);
    this.#length += piece.length;
    this.#spare = EMPTY;
  }

  #copy(piece: Uint8Array): void {
    const fits = Math.min(piece.length, this.#spare.length);
    this.#spare.set(piece.subarray(0, fits));
    this.#grow(fits);
    if (fits === piece.length) return;
    // As much again as there is, so that a short body gets a short block.
    const size = Math.min(BLOCK_MAX, Math.max(PIECE_MIN, this.#length));
    const rest = piece.subarray(fits);
    const block = new Uint8Array(Math.max(size, rest.length));
    block.set(rest);
    this.#append(block.subarray(0, rest.length));
    this.#spare = block.subarray(rest.length);
  }

  /** The last piece takes `bytes` of its spare bytes. */
  #grow(bytes: number): void {
    if (bytes === 0) return;
    const last = this.#pieces.length - 1;
    const { buffer, byteOffset, length } = this.#pieces[last] as Uint8Array;
    this.#pieces[last] = new Uint8Array(buffer, byteOffset, length + bytes);
    this.#spare = this.#spare.subarray(bytes);
    this.#length += bytes;
  }
}

const EMPTY = new Uint8Array();

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
