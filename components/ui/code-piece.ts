/** The style of a piece of code: plain, user input, comment, or the requested instant. */
export type CodePiece = string | { text: string; as: "text" | "comment" | "instant" };

/** The text of pieces of code. */
export function codeText(pieces: readonly CodePiece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}
