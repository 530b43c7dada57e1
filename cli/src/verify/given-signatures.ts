import type { Capture } from "./capture.ts";
import type { Problem } from "./problem.ts";

/** The two signatures of a request. */
export type Scheme = "webhook-signature" | "X-Service-Signature";

/** A signature as the request has it. */
export type GivenSignature = {
  scheme: Scheme;
  /** When it says it was made, epoch seconds. */
  timestamp: string;
  /** The id that it covers; null in `X-Service-Signature`. */
  id: string | null;
  macs: readonly Buffer[];
};

/** The signatures of a request, and what is wrong with the headers that hold them. One of the two may be left out. */
export function readSignatures({ headers }: Pick<Capture, "headers">): {
  given: GivenSignature[];
  problems: Problem[];
} {
  const values = (name: string) => headers.flatMap(([given, value]) => (given === name && value !== "" ? [value] : []));
  const parts = [readStandard(values), readService(values)];
  if (parts.every((part) => part === null)) return { given: [], problems: [NONE] };
  return {
    given: parts.flatMap((part) => part?.given ?? []),
    problems: parts.flatMap((part) => part?.problems ?? []),
  };
}

const NONE: Problem = {
  code: "missing_header",
  message: "It has no signature: webhook-id, webhook-timestamp, webhook-signature and X-Service-Signature are missing.",
  fix: "Pass all headers of the request. A proxy or framework may drop some; what Stopwatch sends has them all.",
};

type Values = (name: string) => string[];
type Part = { given: GivenSignature[]; problems: Problem[] } | null;

function readStandard(values: Values): Part {
  const header = (name: string, form: RegExp, wrong: string) => readOne(values, name, form, wrong);
  const id = header("webhook-id", /^[^\s.,]+$/, "is no id: it has a dot, a comma or a blank");
  const timestamp = header("webhook-timestamp", /^\d{1,12}$/, "is no time in whole seconds since 1970");
  const signature = header(
    "webhook-signature",
    STANDARD_SIGNATURE,
    "has no “v1,” with 44 characters of base64 after it",
  );
  const all = [id, timestamp, signature];
  if (all.every(({ value }) => value === undefined)) return null;
  const problems = all.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return { given: [], problems };
  const macs = [...(signature.value as string).matchAll(new RegExp(STANDARD_SIGNATURE, "g"))];
  return {
    given: [
      {
        scheme: "webhook-signature",
        timestamp: timestamp.value as string,
        id: id.value as string,
        macs: macs.map(([, mac]) => Buffer.from(mac as string, "base64")),
      },
    ],
    problems: [],
  };
}

const STANDARD_SIGNATURE = /(?<!\S)v1,([A-Za-z0-9+/]{43}=)(?![^\s,])/;

function readService(values: Values): Part {
  const { value, problem } = readOne(values, "X-Service-Signature", /^/, "");
  if (value === undefined) return null;
  if (problem !== undefined) return { given: [], problems: [problem] };
  const parts = value.split(",").map((part) => part.trim().split("="));
  const [timestamp = "", second] = parts.flatMap(([name, time = ""]) => (name === "t" ? [time] : []));
  const macs = parts.flatMap(([name, hex = ""]) =>
    name === "v1" && /^[\da-f]{64}$/i.test(hex) ? [Buffer.from(hex, "hex")] : [],
  );
  if (/^\d{1,12}$/.test(timestamp) && second === undefined && macs.length > 0) {
    return { given: [{ scheme: "X-Service-Signature", timestamp, id: null, macs }], problems: [] };
  }
  return {
    given: [],
    problems: [malformed("X-Service-Signature", "does not look like t=<seconds>,v1=<64 hexadecimal digits>")],
  };
}

/** The value of a header that counts once, and what is wrong with it. */
function readOne(values: Values, name: string, form: RegExp, wrong: string): { value?: string; problem?: Problem } {
  const [value, ...others] = values(name.toLowerCase());
  if (value === undefined) {
    const fix = "Pass all headers of the request: a proxy or framework dropped this one.";
    return { problem: { code: "missing_header", message: `${name} is missing.`, fix } };
  }
  if (others.some((other) => other !== value)) {
    return { value, problem: malformed(name, "came more than once, with different values") };
  }
  return form.test(value) ? { value } : { value, problem: malformed(name, wrong) };
}

function malformed(name: string, wrong: string): Problem {
  const fix = "Pass the header as it came: a proxy may have doubled, cut or changed it.";
  return { code: "malformed_header", message: `${name} ${wrong}.`, fix };
}
