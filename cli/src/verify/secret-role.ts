import type { Environment, KnownSecret } from "./known-secrets.ts";
import type { Problem, ProblemCode } from "./problem.ts";

/**
 * The secret by which a receiver takes a request best, of those that signed it, and what is wrong with it: it is the other
 * environment's, the former or the next one, or one that the receiver does not have. Null when nothing is known against it.
 */
export function judgeSecrets(
  signed: readonly KnownSecret[],
  all: readonly KnownSecret[],
): { secret: KnownSecret; problem: Problem | null } {
  const judged = signed.map((secret) => ({ secret, problem: roleProblem(secret.value, all) }));
  const order = (problem: Problem | null) => (problem === null ? -1 : ORDER.indexOf(problem.code));
  return judged.toSorted((a, b) => order(a.problem) - order(b.problem))[0] as (typeof judged)[number];
}

/** From what a receiver takes to what it refuses. */
const ORDER: readonly ProblemCode[] = ["next_secret", "former_secret", "other_environment", "unknown_at_receiver"];

function roleProblem(value: string, secrets: readonly KnownSecret[]): Problem | null {
  const same = secrets.filter((secret) => secret.value === value);
  const account = secrets.filter(({ isReceivers }) => !isReceivers);
  const receivers = secrets.filter(({ isReceivers }) => isReceivers);
  const known =
    same.find(({ isReceivers, role }) => !isReceivers && role !== null) ?? same.find(({ role }) => role !== null);
  const own = same.find(({ isReceivers }) => isReceivers);
  const envs = receiverEnvironments(receivers, secrets);
  const env = same.find((secret) => secret.env !== null)?.env ?? null;
  if (env !== null && envs.size > 0 && !envs.has(env)) return otherEnvironment(env, known?.role ?? null);
  if (known?.role === "former") return former(known.name);
  if (own !== undefined && account.length > 0 && same.every(({ isReceivers }) => isReceivers)) {
    return stale(own.name, account);
  }
  if (known?.role === "next") return next(known.name);
  return own === undefined && receivers.length > 0 ? unknown(known?.name ?? "a secret", receivers) : null;
}

/** The environments whose secrets the receiver has. */
function receiverEnvironments(receivers: readonly KnownSecret[], secrets: readonly KnownSecret[]): Set<Environment> {
  const values = new Set(receivers.map(({ value }) => value));
  return new Set(secrets.flatMap(({ value, env }) => (env !== null && values.has(value) ? [env] : [])));
}

function otherEnvironment(env: Environment, role: KnownSecret["role"]): Problem {
  const other = env === "live" ? "test" : "live";
  return {
    code: "other_environment",
    message: `It is signed with the ${role ?? ""} secret of ${env}, and the receiver has those of ${other}.`.replace(
      "  ",
      " ",
    ),
    fix: `Schedule with a ${other} key, or give the receiver the secrets of ${env}: \`stopwatch secrets --env\` with a ${env} key.`,
  };
}

const STORE_BOTH = "Give the receiver the current and the next secret: `stopwatch secrets --env`.";

function former(name: string): Problem {
  return {
    code: "former_secret",
    message: `It is signed with the former secret alone (${name}): it was sent before the last rotation.`,
    fix: `Such a request is old, or the receiver did not follow the rotation. ${STORE_BOTH}`,
  };
}

function stale(name: string, account: readonly KnownSecret[]): Problem {
  const envs = [...new Set(account.flatMap(({ env }) => env ?? []))].join(" or ");
  return {
    code: "former_secret",
    message: `It is signed with ${name}, which is neither the current nor the next secret of ${envs}: it is a former one, or another environment's.`,
    fix: `After a rotation the former secret signs for 24 hours more. ${STORE_BOTH}`,
  };
}

function next(name: string): Problem {
  return {
    code: "next_secret",
    message: `It is signed with the next secret (${name}): the secrets were rotated since the receiver got them.`,
    fix: `A receiver that checks with both takes it. ${STORE_BOTH}`,
  };
}

function unknown(name: string, receivers: readonly KnownSecret[]): Problem {
  return {
    code: "unknown_at_receiver",
    message: `It is signed with ${name}, which the receiver does not have (${receivers.map((one) => one.name).join(", ")}).`,
    fix: STORE_BOTH,
  };
}
