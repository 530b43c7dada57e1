import { browserName } from "#domain/browser-name.ts";
import { PROVIDER_NAMES } from "#domain/providers.ts";
import type { SecurityNotice, ToldEvent } from "#domain/security-events.ts";
import { button, layOut, paragraph, smallPrint } from "./layout.ts";
import type { Mail } from "./mail.ts";
import { figure, minute } from "./words.ts";

/**
 * The mail that tells the owner of new credentials of the account. It cannot be turned off, so it has no link that does.
 * `id` is the UUID of the notice.
 */
export function securityMail(
  { id, to, accountUrl }: { id: string; to: string; accountUrl: string },
  { events, others }: SecurityNotice,
): Mail {
  const [first, ...further] = events.map((event) => WHAT[event.kind](event));
  const n = events.length + others;
  return {
    to,
    ...layOut({
      subject: n > 1 ? `${figure(n)} changes to who can use your account` : (first?.subject ?? ""),
      preview: [first, ...further].map((one) => one?.sentence).join(" "),
      parts: [
        ...events.map((event) => paragraph(`${WHAT[event.kind](event).sentence} ${whenAndWhere(event)}`)),
        ...(others > 0 ? [paragraph(`And ${figure(others)} more.`)] : []),
        button("See what happened", accountUrl),
        smallPrint(
          "If this was not you, sign out elsewhere and remove the identity on that page, and revoke the key under API keys. These mails cannot be turned off.",
        ),
      ],
    }),
    idempotencyKey: `notice/${id}`,
  };
}

const WHAT: Record<ToldEvent["kind"], (event: ToldEvent) => { subject: string; sentence: string }> = {
  api_key_created: ({ details }) => ({
    subject: `A new ${details.env} API key`,
    sentence: `The ${details.env} API key “${details.keyName}” was created.`,
  }),
  api_key_rotated: ({ details }) => ({
    subject: `A new ${details.env} API key`,
    sentence: `The ${details.env} API key “${details.keyName}” was rotated: it has a new value.`,
  }),
  identity_linked: ({ details }) => {
    const provider = details.provider ? PROVIDER_NAMES[details.provider] : "A provider";
    return {
      subject: `${provider} can sign in to your account now`,
      sentence: `Somebody signed in with ${provider} for the first time. From now on that ${provider} identity opens your account.`,
    };
  },
};

function whenAndWhere({ atMs, network, userAgent }: ToldEvent): string {
  const browser = userAgent === null ? null : browserName(userAgent);
  const where = [network && `from ${network}`, browser && `by ${browser}`].filter(Boolean).join(", ");
  return `That was on ${minute(atMs)}${where ? `, ${where}` : ""}.`;
}
