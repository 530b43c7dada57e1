import { type BodyVariant, bodyVariants } from "./body-variants.ts";
import type { Capture } from "./capture.ts";
import { type Explanation, explainSignature } from "./explain-signature.ts";
import { type GivenSignature, readSignatures, type Scheme } from "./given-signatures.ts";
import { type KnownSecret, secretProblem } from "./known-secrets.ts";
import type { Problem } from "./problem.ts";
import { problemsOf } from "./problems-of.ts";
import { judgeSecrets } from "./secret-role.ts";

/** What was found about a captured request. */
export type Diagnosis = {
  /** Whether a receiver with these secrets takes it. */
  fits: boolean;
  /** The name of the secret that signed it; null when none is known to. */
  secret: string | null;
  /** When it was signed, ISO; null when it has no time. */
  signed_at: string | null;
  /** What is wrong; empty when it fits. */
  problems: Problem[];
};

export type DiagnoseOptions = {
  /** When the request arrived, by the receiver's clock, epoch ms. */
  receivedAtMs: number;
  /** A signature that the receiver's own code computed, to find what that code does. In place of those of the request. */
  computed?: string | undefined;
};

/**
 * Says what is wrong with the signatures of a captured request: the two that Stopwatch sends, by Standard Webhooks and by
 * Stripe's scheme. Never quotes a secret or the body.
 * Sources: https://www.standardwebhooks.com, https://docs.stripe.com/webhooks#verify-manually
 */
export function diagnose(capture: Capture, given: readonly KnownSecret[], options: DiagnoseOptions): Diagnosis {
  const { computed, receivedAtMs } = options;
  const secrets = given.map((secret) => ({ ...secret, value: secretProblem(secret.value)?.repaired ?? secret.value }));
  const read = readSignatures(capture);
  const problems = [...given.flatMap(malformedSecret), ...read.problems];
  const asked = computed === undefined ? read.given : readComputed(computed, read.given, problems);
  const results = explainAll(asked, read.given, capture, secrets);
  const explained = results.flatMap(({ signature, explanation }) => (explanation ? [{ signature, explanation }] : []));
  if (computed !== undefined) keepSimplest(explained, computed);
  const [first] = explained;
  for (const { signature, explanation } of explained) {
    problems.push(...problemsOf(computed === undefined ? signature.scheme : COMPUTED, signature, explanation));
  }
  const judged = first && judgeSecrets(first.explanation.secrets, secrets);
  if (first === undefined) {
    if (asked.length > 0) problems.push(noMatch(secrets, capture));
  } else {
    if (judged?.problem) problems.push(judged.problem);
    if (computed === undefined) {
      problems.push(...alteredHeader(results), ...clockProblem(first.explanation, receivedAtMs));
    } else {
      problems.push(...encodingProblem(computed, first.signature.scheme));
    }
  }
  const timestamp = first?.explanation.head.timestamp ?? read.given[0]?.timestamp;
  return {
    fits: problems.length === 0,
    secret: judged?.secret.name ?? null,
    signed_at: timestamp === undefined ? null : new Date(Number(timestamp) * 1_000).toISOString(),
    problems: withoutRepeats(problems),
  };
}

/** Of the schemes that explain a computed signature, keeps the one with the fewest differences. */
function keepSimplest(explained: { signature: GivenSignature; explanation: Explanation }[], computed: string): void {
  const differences = ({ signature, explanation }: (typeof explained)[number]) =>
    explanation.differences + encodingProblem(computed, signature.scheme).length;
  explained.sort((a, b) => differences(a) - differences(b)).splice(1);
}

const COMPUTED = "What your code computed";

type Result = { signature: GivenSignature; explanation: Explanation | null };

function explainAll(
  asked: readonly GivenSignature[],
  given: readonly GivenSignature[],
  capture: Capture,
  secrets: readonly KnownSecret[],
): Result[] {
  const bodies: BodyVariant[] = bodyVariants(capture.body ?? Buffer.alloc(0), contentLengthOf(capture));
  const id = headerValue(capture, "x-service-schedule-id") ?? null;
  return asked.map((signature) => {
    const other = given.find(({ scheme }) => scheme !== signature.scheme);
    const timestamp = other?.timestamp ?? signature.timestamp;
    return { signature, explanation: explainSignature(signature, secrets, bodies, { id, timestamp }) };
  });
}

const headerValue = ({ headers }: Capture, name: string) => headers.find(([given]) => given === name)?.[1];
const contentLengthOf = (capture: Capture) => Number(headerValue(capture, "content-length") ?? Number.NaN);

function malformedSecret({ name, value, isReceivers }: KnownSecret): Problem[] {
  const found = isReceivers ? secretProblem(value) : null;
  if (found === null) return [];
  const fix = "Take the secret whole, whsec_ included, without quotes, blanks or line breaks.";
  return [{ code: "malformed_secret", message: `${name} ${found.problem}.`, fix }];
}

/** One signature fits and the other does not: then body and secret are right, and its headers were changed. */
function alteredHeader(results: readonly Result[]): Problem[] {
  const lost = results.find(({ explanation }) => explanation === null);
  if (lost === undefined || results.length < 2) return [];
  const { scheme } = lost.signature;
  const headers = scheme === "webhook-signature" ? "webhook-id, webhook-timestamp or webhook-signature" : scheme;
  return [
    {
      code: "altered_header",
      message: `The other signature fits, so body and secret are right, but ${headers} is not what was sent.`,
      fix: "Pass the headers as they came.",
    },
  ];
}

/** How far the time of a signature may be from the receiver's clock, s, as in Standard Webhooks. */
const TOLERANCE_S = 300;

function clockProblem({ head }: Explanation, receivedAtMs: number): Problem[] {
  const aheadS = Math.floor(receivedAtMs / 1_000) - Number(head.timestamp ?? Number.NaN);
  if (!(Math.abs(aheadS) > TOLERANCE_S)) return [];
  const offS = Math.abs(aheadS);
  if (aheadS < 0) {
    const message = `The clock is off by ${offS} s: it was signed ${offS} s after the time at which it arrived.`;
    return [{ code: "clock", message, fix: "Set the receiver's clock, with NTP: it is behind." }];
  }
  return [
    {
      code: "clock",
      message: `The clock is off by ${offS} s, or the request waited: it was signed ${offS} s before, and receivers take ${TOLERANCE_S} s.`,
      fix: "Set the receiver's clock, and check on arrival. For an old capture, say when it came: --received-at 2026-03-29T09:00:00Z.",
    },
  ];
}

function noMatch(secrets: readonly KnownSecret[], capture: Capture): Problem {
  const names = secrets.map(({ name }) => name).join(", ");
  const length = capture.body?.length ?? 0;
  const said = contentLengthOf(capture);
  const facts =
    capture.body === null && !(said === 0)
      ? " The capture has no body, so an empty one was checked: pass it with --body."
      : said > length
        ? ` The body is cut: it has ${length} bytes, and Content-Length says ${said}.`
        : "";
  return {
    code: "no_match",
    message: `No secret fits (${names}), also when the usual changes to a body are undone.${facts}`,
    fix: "Take the secrets of the account and environment that scheduled it, and the body byte for byte.",
  };
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ code }, index) => problems.findIndex((other) => other.code === code) === index);
}

/**
 * The signatures of a request with a MAC that the receiver's code computed in place of their own, so that it can be
 * explained. Adds to `problems` when it is written in no way in which a MAC can be.
 */
function readComputed(text: string, given: readonly GivenSignature[], problems: Problem[]): GivenSignature[] {
  const bare = bareMac(text);
  const mac = HEX.test(bare) ? Buffer.from(bare, "hex") : Buffer.from(bare, "base64url");
  if (mac.length === MAC_LENGTH) return given.map((signature) => ({ ...signature, macs: [mac] }));
  problems.push({
    code: "wrong_encoding",
    message: "What your code computed is no SHA-256 HMAC in base64 (44 characters) or hexadecimal (64 digits).",
    fix: "Compute HMAC-SHA256; write it in base64 for webhook-signature, in hexadecimal for X-Service-Signature.",
  });
  return [];
}

const MAC_LENGTH = 32;
const HEX = /^[\da-f]{64}$/i;
const bareMac = (text: string) => text.trim().replace(/^v1[,=]/, "");

/** Whether a MAC that is right is written in the other scheme's way. */
function encodingProblem(computed: string, scheme: Scheme): Problem[] {
  const isHex = HEX.test(bareMac(computed));
  if (isHex === (scheme === "X-Service-Signature")) return [];
  const [is, wanted] = isHex ? ["hexadecimal", "base64"] : ["base64", "hexadecimal"];
  return [
    {
      code: "wrong_encoding",
      message: `What your code computed is in ${is}, where ${scheme} has ${wanted}.`,
      fix: `Write the HMAC in ${wanted}.`,
    },
  ];
}
