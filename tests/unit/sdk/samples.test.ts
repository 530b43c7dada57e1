import { expect, it } from "vitest";
import { trialCall } from "#components/landing/trial-call.ts";
import { firstCallSamples } from "#components/schedules/first-call.ts";
import { type CodePiece, codeText } from "#components/ui/code-piece.ts";
import { readReference } from "#server/reference/reference.ts";
import { installationOf, SDK_NAME } from "#server/sdk-package.ts";
import { runSample, typeProblems } from "#tests/helpers/sdk-samples.ts";
import { KEY, OPERATION_ID, SCHEDULE_ID } from "./fake-service.ts";
import { operationOf, operationsOfKeys } from "./operations.ts";

const samples = Object.fromEntries(
  readReference("https://stopwatch.example.com")
    .flatMap((group) => group.operations)
    .flatMap(({ id, samples }) => (samples?.sdk ? [[id, samples.sdk]] : [])),
);

it("the reference has a call by the SDK for every operation that takes an API key", () => {
  expect(operationsOfKeys.length).toBeGreaterThanOrEqual(20);
  expect(operationsOfKeys.filter(({ operationId }) => samples[operationId] === undefined)).toEqual([]);
});

it("every call by the SDK compiles against its types, including those of the first page and of the first steps", async () => {
  const { sdk } = trialCall({ baseUrl: "https://stopwatch.example.com", sdkName: SDK_NAME, fireAt: new Date() });
  const [, first] = firstCallSamples(installationOf("https://stopwatch.example.com"), "live");
  const shown = { trial: codeText(sdk), first: codeText(first?.code as CodePiece[]) };
  expect(await typeProblems({ ...samples, ...shown })).toEqual([]);
  const wrong = `import { Stopwatch } from "${SDK_NAME}";\nnew Stopwatch("").schedules.get(1);\n`;
  expect(await typeProblems({ wrong })).toEqual([expect.stringMatching(/wrong\.ts\(2,.*error TS2345/)]);
});

it.each(Object.keys(samples))("the call of %s by the SDK sends what its curl command sends", async (id) => {
  const sent: { id: string | undefined; body: unknown }[] = [];
  const code = (samples[id] ?? "").replace("sch_…", SCHEDULE_ID).replace("op_…", OPERATION_ID);
  await runSample(code, KEY, async (url, { method, body }) => {
    const operation = operationOf(method, url);
    sent.push({ id: operation?.operationId, body: body === undefined ? undefined : JSON.parse(body) });
    const answers = Object.values(operation?.responses ?? {});
    return Response.json(answers[0]?.content?.["application/json"]?.example ?? {});
  });
  const { requestBody } = operationsOfKeys.find(({ operationId }) => operationId === id) ?? {};
  expect(sent.find((call) => call.id === id)).toMatchObject({
    id,
    body: requestBody?.content["application/json"].example,
  });
});
