import { TextLink } from "../ui/text-link.tsx";

type Piece = { text: string; isFound: boolean };

export type DocsHit = { href: string; page: string; heading: readonly Piece[]; excerpt: readonly Piece[] };

/** What a search has found, the best first, with the words that were looked for marked. */
export function SearchResults({ hits }: { hits: readonly DocsHit[] }) {
  return (
    <ol className="grid gap-4">
      {hits.map(({ href, page, heading, excerpt }) => (
        <li key={href} className="grid gap-0.5">
          <TextLink standalone href={href} className="wrap-anywhere">
            <span>
              <Marked pieces={heading} />
            </span>
          </TextLink>
          {plain(heading) !== page && <p className="text-ink-muted text-xs">{page}</p>}
          <p className="wrap-anywhere text-ink-soft text-sm leading-5">
            <Marked pieces={excerpt} />
          </p>
        </li>
      ))}
    </ol>
  );
}

const plain = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("");

function Marked({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, isFound }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    isFound ? <mark key={at}>{text}</mark> : text,
  );
}
