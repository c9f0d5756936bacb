import { InvalidPolicyError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { problem } from "../src/index.js";
import { compositeOf, decisionOf, denialOf } from "./decisions.js";

const TYPES = "https://iana.org/assignments/http-problem-types#";
const unavailable = { reason: "unavailable", source: "failure-policy", resetAfterMs: 0 } as const;

describe("a denial", () => {
  it("is a 429 with problem details and the headers, which no cache may store", async () => {
    const response = problem(denialOf(4_001));
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store",
      "content-type": "application/problem+json",
      "ratelimit-policy": '"burst";q=100;w=60',
      ratelimit: '"burst";r=0;t=5',
      "retry-after": "5",
    });
    expect(await response.json()).toEqual({
      type: `${TYPES}quota-exceeded`,
      title: "Quota Exceeded",
      status: 429,
      detail: 'The limit "burst" does not allow this request. Try again in 5 s.',
      "violated-policies": ["burst"],
    });
  });

  it("by several limits names those that deny, and no other", async () => {
    const [daily, hourly] = [denialOf(9_000, { name: "daily" }), decisionOf({ name: "hourly" })];
    const details = await problem(compositeOf(daily, hourly, denialOf(1_000))).json();
    expect(details).toMatchObject({
      detail: 'The limits "daily", "burst" do not allow this request. Try again in 9 s.',
      "violated-policies": ["daily", "burst"],
    });
  });

  it("of what can never pass does not say to come back", async () => {
    const response = problem(denialOf(Infinity, { reason: "never" }));
    expect(response.headers.has("retry-after")).toBe(false);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining("more than can ever be given"),
    });
  });

  it("tells nothing of whom it counts against", async () => {
    const response = problem(denialOf(1, { key: "secret", receipt: "secret" }));
    expect(JSON.stringify([await response.text(), ...response.headers])).not.toContain("secret");
  });
});

describe("a denial since the store failed", () => {
  it("is a 503 of temporarily reduced capacity", async () => {
    const response = problem(denialOf(1_000, unavailable));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ type: `${TYPES}temporary-reduced-capacity`, status: 503 });
  });

  it("is a 429 all the same where another limit denies for longer", async () => {
    const both = compositeOf(denialOf(9_000), denialOf(1_000, { ...unavailable, name: "daily" }));
    expect(await problem(both).json()).toMatchObject({ status: 429, "violated-policies": ["burst"] });
  });
});

describe("the body", () => {
  it("is plain text if you say so", async () => {
    const response = problem(denialOf(1_000), { body: "text" });
    expect(response.headers.get("content-type")).toBe("text/plain;charset=utf-8");
    expect(await response.text()).toBe('The limit "burst" does not allow this request. Try again in 1 s.');
  });

  it("is your own, with your own type", async () => {
    const body = ({ title }: { title: string }) => `<h1>${title}</h1>`;
    const response = problem(denialOf(1_000), { body, contentType: "text/html" });
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.text()).toBe("<h1>Quota Exceeded</h1>");
    expect(response.status).toBe(429);
  });
});

it("the headers have the format that you say, or are left out but for Retry-After", () => {
  expect(problem(denialOf(1_000), { headers: "legacy" }).headers.get("x-ratelimit-limit")).toBe("100");
  const bare = problem(denialOf(1_000), { headers: false }).headers;
  expect([bare.get("ratelimit"), bare.get("retry-after")]).toEqual([null, "1"]);
});

describe("refused is", () => {
  it("a decision that allows", () => {
    expect(() => problem(decisionOf())).toThrow(InvalidPolicyError);
  });

  it.each([{ body: "html" }, { contentType: "text/html" }, { headers: "draft-5" }, { status: 418 }])(
    "the option %j",
    (options) => {
      // @ts-expect-error a caller without types
      expect(() => problem(denialOf(1), options)).toThrow(InvalidPolicyError);
    },
  );
});
