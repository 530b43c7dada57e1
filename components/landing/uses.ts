/** What schedules are for, each with a line of the SDK. A test runs the lines. */
export const USES = [
  {
    title: "Trial ends",
    text: "Hand it over when the trial begins. If they upgrade, cancel it, and it never arrives.",
    code: "await client.schedules.create({ targetUrl, fireAt: trial.endsAt, json: { customer: trial.customer } });",
  },
  {
    title: "Reminders",
    text: "At nine where the person is, also over the night in which the clocks change.",
    code: 'await client.schedules.create({ targetUrl, fireAtLocal: "2031-03-31T09:00", timezone: "Europe/Berlin" });',
  },
  {
    title: "Retries",
    text: "The other side asks for a quarter of an hour. Your process need not live that long.",
    code: 'await client.schedules.create({ targetUrl, fireIn: "15m", json: order, idempotencyKey: order.id });',
  },
  {
    title: "Reports",
    text: "One API request for all of a month’s. Each is judged alone, and repeating it creates none twice.",
    code: "await client.schedules.createMany(customers.map(({ id, at }) => ({ targetUrl, fireAt: at, idempotencyKey: id })));",
  },
] as const;
