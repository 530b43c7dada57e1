import { PassThrough, Writable } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { ask } from "../../../../cli/src/input/ask.ts";

afterEach(() => vi.restoreAllMocks());

/** Puts a terminal in place of that of this process. Returns what is typed on it, and what happens to it in turn. */
function takeTerminal() {
  const events: string[] = [];
  const setRawMode = (isRaw: boolean) => void events.push(isRaw ? "shows nothing by itself" : "shows what is typed");
  const typed = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  const shown = new Writable({
    write(chunk, _encoding, done) {
      events.push(`shows ${JSON.stringify(String(chunk))}`);
      done();
    },
  });
  vi.spyOn(process, "stdin", "get").mockReturnValue(typed as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(shown as never);
  return { typed, events };
}

test("a hidden question is asked once the terminal shows nothing by itself, and what is typed is not shown", async () => {
  const { typed, events } = takeTerminal();
  const answer = ask("Key: ", new AbortController().signal, true);
  typed.write("secret\r");
  expect(await answer).toBe("secret");
  expect(events).toEqual(["shows nothing by itself", 'shows "Key: "', "shows what is typed", String.raw`shows "\n"`]);
});
