import type { Page } from "../types.ts";
import type { Query } from "./write-query.ts";

/**
 * A list. Awaited, it is one page; iterated, every item of every page, and by `pages()` every page. Nothing is sent
 * before. A row that is there all the while is met once, whatever is created meanwhile.
 */
export interface Pager<T, P extends Page<T> = Page<T>> extends PromiseLike<P>, AsyncIterable<T> {
  pages(): AsyncIterable<P>;
  catch<R>(onRejected: (error: unknown) => R | PromiseLike<R>): Promise<P | R>;
  finally(onSettled: () => void): Promise<P>;
}

/** `read` reads the first page, or the one at a cursor. */
export function createPager<T, P extends Page<T>>(read: (after?: string) => Promise<P>): Pager<T, P> {
  let page: Promise<P> | undefined;
  const first = () => (page ??= read());
  async function* pages() {
    for (let after: string | undefined; ; ) {
      const page = await read(after);
      yield page;
      if (page.next_cursor === null) return;
      after = page.next_cursor;
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
    then: (...handlers) => first().then(...handlers),
    catch: (handler) => first().catch(handler),
    finally: (handler) => first().finally(handler),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
}

/** The query of the first page, or of the page at a cursor, which takes the place of `offset`. */
export function pageQuery(filter: object | undefined, after: string | undefined): Query {
  return after === undefined ? { ...filter } : { ...filter, offset: undefined, after };
}
