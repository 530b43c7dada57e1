import { isUtf8 } from "node:buffer";
import { UnreadableInput } from "./unreadable-input.ts";

/** The text of an input in UTF-8, without a byte order mark. Throws `UnreadableInput` for another encoding. */
export function decodeText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new UnreadableInput(1, 1, "this is UTF-16: save the file as UTF-8");
  }
  for (let line = 1, from = 0; ; line++) {
    const end = bytes.indexOf(LINE_FEED, from);
    const part = bytes.subarray(from, end < 0 ? bytes.length : end);
    if (!isUtf8(part)) {
      const column = new TextDecoder().decode(part).indexOf("\uFFFD") + 1;
      throw new UnreadableInput(line, column, "these bytes are not UTF-8: save the file as UTF-8");
    }
    from = end + 1;
  }
}

const LINE_FEED = 0x0a;
