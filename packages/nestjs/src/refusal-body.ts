import { StreamableFile } from "@nestjs/common";
import type { ProblemDetails, Refusal } from "@sluice/http";

/**
 * What a refusal says, as Nest can send it: Nest sends objects as `application/json`, but a file as it is, with its own type.
 * To whoever reads it, or sends it as JSON, it is the details of the problem.
 */
export class RefusalBody extends StreamableFile implements ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: 429 | 503;
  readonly detail: string;
  readonly "violated-policies": string[];

  constructor({ body, headers, details }: Refusal) {
    const type = headers.find(({ name }) => name === "Content-Type")?.value;
    super(new TextEncoder().encode(body), type === undefined ? {} : { type });
    for (const name of Object.keys(this)) {
      Object.defineProperty(this, name, { enumerable: name in details });
    }
    this.type = details.type;
    this.title = details.title;
    this.status = details.status;
    this.detail = details.detail;
    this["violated-policies"] = details["violated-policies"];
  }
}
