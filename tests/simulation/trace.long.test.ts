// Guards: dispatcher/intake/**, dispatcher/admission/**, dispatcher/connections/**, dispatcher/rates/**, dispatcher/claiming/**, dispatcher/recording/**, dispatcher/sending/**, dispatcher/*.ts, tests/chaos/**, tests/simulation/**
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { replay } from "./replay.ts";
import { readTrace } from "./trace.ts";

/** A part of a chaos run: README.md. */
const PART = fileURLToPath(new URL("short.trace.jsonl", import.meta.url));
/** The evidence of another run, or a trace. */
const { TRACE } = processEnv();

it("what a part of a chaos run did, played in a simulated installation, breaks no promise", async () => {
  const { broken } = await replay(await readTrace(PART));
  expect(broken).toEqual([]);
}, 600_000);

it.skipIf(!TRACE)(
  "what the chaos run of TRACE did, played in a simulated installation, breaks no promise",
  async () => {
    const { broken } = await replay(await readTrace(TRACE as string));
    expect(broken).toEqual([]);
  },
  3_600_000,
);
