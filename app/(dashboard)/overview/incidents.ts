import type { Incident } from "#components/overview/incident-list.tsx";
import type { IncidentGroup } from "#domain/incident.ts";
import { hrefIn, type View } from "../view.ts";

/** A group as the overview shows it: with the list of exactly its schedules, and the question whether to replay the dead ones. */
export function incidentIn({ env, path, params }: View, group: IncidentGroup): Incident {
  const { dead, deadFrom, deadTo, operationId, delivered, underWay, ...shown } = group;
  const filter = (status: string, from: Date, to: Date) => ({
    status,
    host: group.host,
    code: String(group.code ?? "none"),
    // The list takes `to` as an end that is not included.
    from: from.toISOString(),
    to: new Date(to.getTime() + 1).toISOString(),
  });
  return {
    ...shown,
    dead,
    mended: { delivered, underWay },
    href: hrefIn(env, "/schedules", filter("dead,failed", group.from, group.to)),
    ...(deadFrom &&
      deadTo && {
        replayHref: hrefIn(env, "/schedules/confirm", {
          action: "replay",
          all: "1",
          ...filter("dead", deadFrom, deadTo),
          back: hrefIn(env, path, params),
        }),
      }),
    ...(operationId && { operationHref: hrefIn(env, `/schedules/operations/${operationId}`) }),
  };
}
