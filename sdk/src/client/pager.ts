import { StopwatchError } from "../error.ts";
import type { Page } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";

/**
 * A list. Await it for one page; iterate it for the items of all pages, or `pages()` for the pages. Nothing is sent
 * before. Rows that exist throughout are visited exactly once, whatever is created meanwhile.
 */
export interface Pager<T, P extends Page<T> = Page<T>> extends PromiseLike<P>, AsyncIterable<T> {
  pages(): AsyncIterable<P>;
}

/** The list at `path`. Its options are those of each page. */
export function createPager<T, P extends Page<T>>(
  call: Call,
  path: string,
  filter: object | undefined,
  options: CallOptions | undefined,
): Pager<T, P> {
  const read = (query?: object) => call<P>("GET", path, options, { query });
  async function* pages() {
    for (let query = filter as { after?: unknown } | undefined; ; ) {
      const page = await read(query);
      yield page;
      const after = page.next_cursor;
      if (after === null) return;
      // A missing cursor on the first page, or one that repeats, would never end.
      if (after === query?.after) throw new StopwatchError("BAD_RESPONSE", "next_cursor is missing");
      query = { ...query, ...{ offset: undefined, after } };
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
    then: (...handlers) => read(filter).then(...handlers),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
}
