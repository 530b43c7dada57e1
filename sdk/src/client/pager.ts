import { StopwatchError } from "../error.ts";
import type { Page } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";

/** What can be iterated: the items of all pages, or the pages. */
export interface Pages<T, P> extends AsyncIterable<T> {
  /** Each page, from the first one on. */
  pages(): AsyncIterable<P>;
}

/**
 * A list. Await it for one page; iterate it for the items of all pages, or `pages()` for the pages. Nothing is sent
 * before. A page that was awaited can be iterated too, from itself on. Rows that exist throughout are visited exactly
 * once, whatever is created meanwhile.
 */
export interface Pager<T, P extends Page<T> = Page<T>> extends PromiseLike<P & Pages<T, P>>, Pages<T, P> {}

/** The list at `path`. Its options are those of each page. */
export function createPager<T, P extends Page<T>>(
  call: Call,
  path: string,
  filter: object | undefined,
  options: CallOptions | undefined,
): Pager<T, P> {
  const read = (query?: object) => call<P>("GET", path, options, { query });
  async function* pages(first?: P) {
    for (let query = filter as { after?: unknown } | undefined; ; ) {
      const page = first ?? (await read(query));
      first = undefined;
      yield page;
      const after = page.next_cursor;
      if (after === null) return;
      // A missing cursor on the first page, or one that repeats, would never end.
      if (after === query?.after) throw new StopwatchError("BAD_RESPONSE", "next_cursor is missing");
      query = { ...query, ...{ offset: undefined, after } };
    }
  }
  const from = (first?: P): Pages<T, P> => ({
    pages: () => pages(first),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages(first)) yield* page.items;
    },
  });
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
    then: (...handlers) =>
      read(filter)
        .then((page) => {
          const { pages, [Symbol.asyncIterator]: items } = from(page);
          // Not enumerable, so that a page prints and compares as what was answered.
          const added = { pages: { value: pages }, [Symbol.asyncIterator]: { value: items } };
          return Object.defineProperties(page, added) as P & Pages<T, P>;
        })
        .then(...handlers),
    ...from(),
  };
}
