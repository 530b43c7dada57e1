import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDispatchBench, type DispatchBench } from "../../helpers/dispatcher.ts";
import { type Receiver, startReceiver } from "../../helpers/receiver.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let bench: DispatchBench;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  bench = await createDispatchBench({ DELIVERY_ALLOW: receiver.origin });
  await bench.dispatcher();
});
afterAll(async () => {
  await bench.close();
  await receiver.close();
});

const long = "x".repeat(1_023);

describe("a failed answer whose body is", () => {
  it.each<[string, Buffer, string]>([
    ["NUL and text", Buffer.from("a\u0000b"), "a\ufffdb"],
    ["NUL alone", Buffer.alloc(3), "\ufffd".repeat(3)],
    ["no UTF-8", Buffer.from("61ff6280", "hex"), "a\ufffdb\ufffd"],
    ["a lone half of a surrogate pair, written as bytes", Buffer.from("61eda08062", "hex"), "a\ufffd\ufffd\ufffdb"],
    ["an emoji on the last place that is kept", Buffer.from(`${long}😀😀`), `${long}😀`],
    ["an emoji cut in its middle", Buffer.from("a😀").subarray(0, 3), "a\ufffd"],
    ["what ends a line, a string or an array in SQL", Buffer.from(`"'\\{},NULL\r\n`), `"'\\{},NULL\r\n`],
  ])("%s is recorded with clean text, and retried", async (_title, body, text) => {
    const account = await bench.account({ settings: { retry_attempts: 1 } });
    let answers = 0;
    receiver.respond((_request, response) => response.writeHead(answers++ === 0 ? 500 : 200).end(body));
    const id = await bench.schedule(account, `${receiver.origin}/`, new Date(Date.now() + 300));
    await waitFor("it has succeeded", async () => (await bench.read(id)).status === "succeeded");
    expect(await bench.attempts(id)).toMatchObject([
      { outcome: "rejected", status_code: 500, error_text: text },
      { outcome: "delivered", status_code: 200, error_text: "" },
    ]);
  });
});
