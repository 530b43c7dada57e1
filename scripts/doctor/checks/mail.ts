import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { Config } from "#config.ts";
import { isLoopbackHost } from "#domain/confidential-url.ts";
import { nearestFolder } from "../../nearest-folder.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";
import { CHECK_MS_MAX } from "../context.ts";
import { whyNoAnswer } from "../describe-failure.ts";

const RESEND = "https://api.resend.com";

/** Sends nothing. */
export const mail: Check = {
  name: "mail",
  needs: ["settings"],
  async run({ config, clear }) {
    const { baseUrl, mail: settings } = config as Config;
    if (settings.resendApiKey === undefined) {
      const isHere = isLoopbackHost(new URL(baseUrl).hostname);
      return judgeMailbox({ folder: settings.mailboxDir, isWritable: await isWritable(settings.mailboxDir), isHere });
    }
    const answer = await askResend(settings.resendBaseUrl ?? RESEND, settings.resendApiKey);
    return judgeResend({ from: settings.from, answer: "error" in answer ? { error: clear(answer.error) } : answer });
  },
};

export function judgeMailbox(facts: { folder: string; isWritable: boolean; isHere: boolean }): Finding {
  const { folder, isWritable: may, isHere } = facts;
  if (!may)
    return failure(
      `the folder of mails, ${folder}, cannot be written`,
      "Give this user the folder, or set RESEND_API_KEY.",
    );
  const found = `RESEND_API_KEY is not set: mails become files in ${folder}`;
  return isHere
    ? ok(found)
    : warning(found, "Set RESEND_API_KEY and MAIL_FROM, so that others get sign-in links and notices.");
}

type Answer = { status: number; name: string; domains: { name: string; status: string }[] } | { error: string };

/** `answer` is that to the question for the domains of the key. Source: Resend's documentation, "Errors" and "List Domains". */
export function judgeResend({ from, answer }: { from: string; answer: Answer }): Finding {
  if ("error" in answer)
    return failure(
      `Resend cannot be reached (${answer.error})`,
      "Let this machine connect to it, or see RESEND_BASE_URL.",
    );
  const { status, name, domains } = answer;
  const sender = /@([^>]+)>?$/.exec(from)?.[1]?.toLowerCase() ?? "";
  if (name === "restricted_api_key")
    return ok(`Resend knows the key, which may only send; whether ${sender} is verified was not checked`);
  if (status === 429 || status >= 500) return warning(`Resend answers ${status}`, "Run this again later.");
  if (status !== 200) return failure(`Resend refuses the key: ${status} ${name}`.trimEnd(), "Correct RESEND_API_KEY.");
  const domain = domains.find(
    (one) => sender === one.name.toLowerCase() || sender.endsWith(`.${one.name.toLowerCase()}`),
  );
  if (domain?.status === "verified")
    return ok(`Resend knows the key, and ${domain.name} is verified; nothing was sent`);
  return failure(
    `${sender}, the domain of MAIL_FROM, is ${domain ? domain.status : "not among the domains of the key"} at Resend`,
    "Verify it there, or set MAIL_FROM to an address of a domain that is.",
  );
}

async function askResend(baseUrl: string, apiKey: string): Promise<Answer> {
  try {
    const response = await fetch(`${baseUrl}/domains`, {
      headers: { authorization: `Bearer ${apiKey}`, "user-agent": "stopwatch-doctor" },
      redirect: "error",
      signal: AbortSignal.timeout(CHECK_MS_MAX - 500),
    });
    const body = (await response.json().catch(() => ({}))) as { name?: unknown; data?: unknown };
    const name = typeof body.name === "string" && /^\w{1,64}$/.test(body.name) ? body.name : "";
    const domains = (Array.isArray(body.data) ? body.data : []).map((one) => ({
      name: String(one?.name),
      status: String(one?.status),
    }));
    return { status: response.status, name, domains };
  } catch (error) {
    return { error: whyNoAnswer(error) };
  }
}

/** Whether the folder, or the nearest one above it that exists, can be written. */
async function isWritable(folder: string): Promise<boolean> {
  return access(await nearestFolder(folder), constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
