import { expect, it } from "vitest";
import { EventChannel } from "#server/listen/event-channel.ts";

const flushed = () => new Promise((resolve) => setImmediate(resolve));

async function started() {
  const calls: string[] = [];
  const channel = new EventChannel({ onIdle: () => calls.push("idle"), onGone: () => calls.push("gone") });
  await flushed();
  calls.length = 0;
  return { channel, calls, reader: channel.readable.getReader() };
}

const textOf = ({ value }: ReadableStreamReadResult<Uint8Array>) => new TextDecoder().decode(value);

it("a channel is idle until something is written, and again when its reader has taken all of it", async () => {
  const { channel, calls, reader } = await started();
  expect([channel.isIdle, channel.heldBytes]).toEqual([true, 0]);
  channel.write("one");
  channel.write("\u00fcber");
  expect([channel.isIdle, channel.heldBytes]).toEqual([false, 8]);
  expect(textOf(await reader.read())).toBe("one");
  await flushed();
  expect([channel.isIdle, channel.heldBytes, calls]).toEqual([false, 5, []]);
  expect(textOf(await reader.read())).toBe("\u00fcber");
  await flushed();
  expect([channel.isIdle, channel.heldBytes, calls]).toEqual([true, 0, ["idle"]]);
});

it("a channel that is closed ends behind what was written, and takes nothing more", async () => {
  const { channel, reader } = await started();
  channel.write("last");
  channel.close();
  channel.write("too late");
  channel.close();
  expect(channel.isIdle).toBe(false);
  expect(textOf(await reader.read())).toBe("last");
  expect((await reader.read()).done).toBe(true);
});

it("a channel whose reader went away says so once, and takes nothing more", async () => {
  const { channel, calls, reader } = await started();
  await reader.cancel();
  channel.write("nobody reads this");
  channel.close();
  expect([calls, channel.isIdle, channel.heldBytes]).toEqual([["gone"], false, 0]);
});
