import Link from "next/link";

export const metadata = { title: "Not found · Stopwatch" };

export default function NotFound() {
  return (
    <main>
      <h1>Nothing is here</h1>
      <p>
        This address leads to no page. <Link href="/">Start again</Link>
      </p>
    </main>
  );
}
