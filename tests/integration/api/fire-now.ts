import type { Api, TestCaller } from "./api.ts";

/** A live schedule that is due by its own creation: the id of a replay without an instant. */
export async function replayNow(api: Api, caller: TestCaller): Promise<string> {
  const answer = await api.call("POST", `/v1/schedules/${await api.create(caller.live)}/replay`, caller.live);
  if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${answer.text}`);
  return answer.body.id;
}

/** Moves a live schedule that waits to now. */
export async function moveToNow(api: Api, caller: TestCaller, id: string): Promise<void> {
  const answer = await api.call("POST", `/v1/schedules/${id}/fire`, caller.live);
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
}
