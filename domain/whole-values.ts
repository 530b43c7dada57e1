import { codesText, type Fold, type FoldedText, foldText } from "./folded-text.ts";
import { PUBLIC_TEXTS } from "./public-texts.ts";
import type { SharedRun } from "./shared-runs.ts";

/** A whole value of so many characters makes a text repeat it. */
export const WHOLE_LENGTH_MIN = 8;

/** Where texts have one of the values as a whole, without regard to case, accents and white space. */
export function wholeRuns(texts: readonly FoldedText[], values: readonly string[]): SharedRun[] {
  if (values.length === 0) return [];
  const wanted = values.flatMap(foldedValue);
  return texts.flatMap((folded, text) =>
    wanted.flatMap(({ fold, codes }) => {
      const found: SharedRun[] = [];
      const searched = codesText(folded[fold]);
      for (let at = searched.indexOf(codes); at >= 0; at = searched.indexOf(codes, at + 1)) {
        found.push({ text, fold, start: at, end: at + codes.length });
      }
      return found;
    }),
  );
}

/** A value as it is searched. Left out are public texts, and values of one character, such as a line of dashes. */
function foldedValue(value: string): { fold: Fold; codes: string }[] {
  const folded = foldText(value);
  const fold = folded.dense.length >= WHOLE_LENGTH_MIN ? "dense" : "all";
  const codes = codesText(folded[fold]);
  const isPublic = PUBLIC.some((text) => text[fold].includes(codes));
  return isPublic || new Set(codesText(folded.dense)).size < 2 ? [] : [{ fold, codes }];
}

const PUBLIC = PUBLIC_TEXTS.map((text) => {
  const { all, dense, words } = foldText(text);
  return { all: codesText(all), dense: codesText(dense), words: codesText(words) };
});
