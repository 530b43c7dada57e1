import { formatCount } from "#components/format/number.ts";
import { Confirm } from "#components/ui/confirm.tsx";
import { RECURRENCE_PAGE } from "#server/recurrences/put-by-form.ts";
import { readDeletion } from "#server/recurrences/read-in-full.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage("/recurrences/delete", async ({ ctx, view }) => {
  const { row, open, inFlight } = await readDeletion(ctx, view.params.key ?? "");
  const page = hrefIn(view.env, RECURRENCE_PAGE, { key: row.key });
  return {
    title: "Delete",
    documentTitle: "Delete a recurrence",
    crumb: { href: page, label: row.name ?? row.key },
    narrow: true,
    body: (
      <Confirm
        title="Delete this recurrence?"
        action="/recurrences/delete/confirm"
        fields={{ key: row.key, env: view.env }}
        label="Delete it"
        keep={{ href: page, label: "Keep it" }}
      >
        <p>
          {open === 0
            ? "No occurrence of it is open."
            : `${open === 1 ? "One occurrence that is open is" : `${formatCount(open)} occurrences that are open are`} taken back: nothing of them is sent any more.`}{" "}
          {inFlight > 0 &&
            `${inFlight === 1 ? "One is" : `${formatCount(inFlight)} are`} being sent, and may still arrive. `}
          What was sent stays in the list of schedules.
        </p>
        <p>This cannot be undone. To stop it for a while, pause it.</p>
      </Confirm>
    ),
  };
});
