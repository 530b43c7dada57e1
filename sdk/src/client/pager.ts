import { StopwatchError } from "../error.ts";
import type { Page } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";

/**
 * A list. Awaited, it is one page; iterated, every item of every page, and by `pages()` every page. Nothing is sent
 * before. A row that is there all the while is met once, whatever is created meanwhile.
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
      // None on the first page, or the same again.
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
