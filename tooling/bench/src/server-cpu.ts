import type { RedisServer } from "@sluice/redis-server";

/** The processor time that a server has used so far, in its threads and in the system for it, in microseconds. */
export async function serverCpuMicroseconds(server: RedisServer): Promise<number> {
  return readCpuMicroseconds(String(await server.command("INFO", "cpu")));
}

/** The same, from what `INFO cpu` says. */
export function readCpuMicroseconds(info: string): number {
  const seconds = ["used_cpu_sys", "used_cpu_user"].map((field) =>
    Number(new RegExp(`^${field}:([\\d.]+)`, "m").exec(info)?.[1]),
  );
  const [system = Number.NaN, user = Number.NaN] = seconds;
  if (Number.isNaN(system + user)) throw new Error("INFO cpu does not say what was used");
  return (system + user) * 1_000_000;
}
