/** How a piece of code looks; `instant` is the time of the request. */
export type CodeStyle = "comment" | "instant" | "keyword" | "string" | "number" | "name";

/** A piece of code, plain or in a style. */
export type CodePiece = string | { text: string; as: CodeStyle };

/** The text of pieces of code. */
export function codeText(pieces: readonly CodePiece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

/** The style of a piece; undefined for plain code. */
function styleOf(piece: CodePiece): CodeStyle | undefined {
  return typeof piece === "string" ? undefined : piece.as;
}

/** Text as a piece in a style, or as plain code. */
export function styledAs(as: CodeStyle | undefined, text: string): CodePiece {
  return as === undefined ? text : { text, as };
}

/** The same code with as few pieces as its styles need. */
function joinPieces(pieces: Iterable<CodePiece>): CodePiece[] {
  const joined: CodePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || styleOf(last) !== styleOf(piece)) joined.push(piece);
    else joined.splice(-1, 1, styledAs(styleOf(piece), codeText([last, piece])));
  }
  return joined;
}

/** The styled code, in which the instants of the given pieces stay instants. Both have the same text. */
export function keepInstants(styled: readonly CodePiece[], given: readonly CodePiece[]): CodePiece[] {
  // By UTF-16 units, as lengths count. Both halves of a pair have one style, so that they meet again.
  const isInstant = given.flatMap((piece) =>
    codeText([piece])
      .split("")
      .map(() => styleOf(piece) === "instant"),
  );
  const units = styled.flatMap((piece) =>
    codeText([piece])
      .split("")
      .map((unit) => ({ unit, as: styleOf(piece) })),
  );
  return joinPieces(units.map(({ unit, as }, at) => styledAs(isInstant[at] ? "instant" : as, unit)));
}
