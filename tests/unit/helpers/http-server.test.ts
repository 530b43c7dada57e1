import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { watchUncaught } from "#tests/helpers/watch-uncaught.ts";

it("a test server outlives a client that disconnects while it sends its body", async () => {
  const uncaught = watchUncaught();
  const outcomes: unknown[] = [];
  const { port, origin, close } = await serveHttp(async (request, response) => {
    const read = text(request);
    outcomes.push(await read.catch(String));
    response.end(await read);
  });
  onTestFinished(close);
  const client = connect(port, "127.0.0.1");
  client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", () => client.destroy());
  await waitFor("the server has read what there is", () => outcomes.length === 1);
  expect(outcomes).toEqual(["Error: aborted"]);
  const answer = await fetch(origin, { method: "POST", body: "the next one" });
  expect(await answer.text()).toBe("the next one");
  expect(uncaught).toEqual([]);
});

it("what a test server throws is answered by 500, and fails the test that closes it", async () => {
  const uncaught = watchUncaught();
  const { origin, close } = await serveHttp(async () => {
    throw new Error("no answer was set");
  });
  const answer = await fetch(origin);
  expect({ status: answer.status, text: await answer.text() }).toEqual({
    status: 500,
    text: "Error: no answer was set",
  });
  await expect(close()).rejects.toThrow("no answer was set");
  expect(uncaught).toEqual([]);
});
