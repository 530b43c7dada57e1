import { PauseInput } from "#contract/inputs/recurrence-input.ts";
import { invalid, validate } from "#contract/inputs/validate.ts";
import { chooseWords } from "#domain/chosen-time.ts";
import { formatInstant } from "#domain/instant.ts";
import { flashCookie } from "../http/flash-cookie.ts";
import { pageUrl } from "../http/page-url.ts";
import type { Form, FormCall, PostedForm } from "../routes/form-route.ts";
import type { ChangedRecurrence } from "./change.ts";
import { deleteRecurrence } from "./delete.ts";
import { getRecurrence } from "./get.ts";
import { pauseRecurrence } from "./pause.ts";
import { RECURRENCE_PAGE } from "./put-by-form.ts";
import { resumeRecurrence } from "./resume.ts";

const LIST = "/recurrences";

/** The button "Pause it". After an error the address has the typed values: they are short and not secret. */
export const pauseForm: Form = {
  page: LIST,
  back: ({ fields, env }, { code, details }) =>
    pageUrl(RECURRENCE_PAGE, env, {
      key: keyOf({ fields }),
      note: text({ fields }, "note").slice(0, 200),
      until: text({ fields }, "until").slice(0, 100),
      error: details?.some(({ path }) => path === "until") ? "until" : code,
    }),
  async verb({ ctx, ...posted }) {
    const key = keyOf(posted);
    const note = text(posted, "note").trim();
    const until = text(posted, "until").trim();
    const input = { ...(note && { note }), ...(until && { until: await readUntil(ctx, key, until) }) };
    return done(posted, key, "paused", await pauseRecurrence(ctx, key, validate(PauseInput, input)));
  },
};

/** The button "Resume". */
export const resumeForm: Form = {
  page: LIST,
  back: ({ fields, env }, { code }) => pageUrl(RECURRENCE_PAGE, env, { key: keyOf({ fields }), error: code }),
  async verb({ ctx, ...posted }) {
    const key = keyOf(posted);
    await resumeRecurrence(ctx, key);
    return done(posted, key, "resumed");
  },
};

/** The button "Delete it". */
export const deleteForm: Form = {
  page: LIST,
  async verb({ ctx, finish, ...posted }) {
    const { taken, inFlight } = await deleteRecurrence(ctx, keyOf(posted));
    return finish(LIST, { result: "deleted", taken: String(taken), inFlight: String(inFlight) });
  },
};

/** A typed end of a pause, in the zone of the recurrence. Throws VALIDATION for one that cannot be read. */
async function readUntil(ctx: FormCall["ctx"], key: string, typed: string): Promise<string> {
  const { zone, nowMs } = await getRecurrence(ctx, key);
  const chosen = chooseWords(typed, zone, nowMs);
  if (!chosen.ok) throw invalid([{ path: "until", message: chosen.message }]);
  return formatInstant(chosen.epochMs);
}

/** Back to the page of the recurrence, which has a result to show. */
function done(
  { goTo, services }: Omit<FormCall, "ctx">,
  key: string,
  result: string,
  { taken, inFlight }: Pick<ChangedRecurrence, "taken" | "inFlight"> = { taken: 0, inFlight: 0 },
) {
  const flash = { result, taken: String(taken), inFlight: String(inFlight) };
  return goTo(RECURRENCE_PAGE, { key }, [flashCookie(services.config, RECURRENCE_PAGE, flash)]);
}

const text = ({ fields }: Pick<PostedForm, "fields">, name: string) => fields.get(name) ?? "";
const keyOf = (posted: Pick<PostedForm, "fields">) => text(posted, "key");
