/**
 * `bench -- flood [OPTIONS]`: many more requests at once than a daemon can do, through its own doors.
 * Nobody may be answered wrongly, others go on being answered, and the memory comes back.
 */

import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startDaemon } from '../soak/daemon.ts';
import { embeddings, recordings, texts } from './cases.ts';
import { type FloodRow, flood } from './flood.ts';

const usage = `Usage: npm run bench -- flood [OPTIONS]

  --only A,B        texts, embeddings, recordings (default: texts,recordings)
  --callers N       requests at once (texts, embeddings: 400; recordings: 100)
  --rounds N        requests of each caller (default 1)
  --seconds S       how long a flood may go on (default 900)
  --rest S          seconds until memory has to be back (default 60)
  --embeddings DIR  folder of an embedding model, for that case
  --json            also write the rows as JSON`;

/** Runs the bench; returns the exit code. */
export async function runFlood(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			only: { type: 'string', default: 'texts,recordings' },
			callers: { type: 'string' },
			rounds: { type: 'string', default: '1' },
			rest: { type: 'string', default: '60' },
			seconds: { type: 'string', default: '900' },
			embeddings: { type: 'string' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const wanted = values.only.split(',');
	const cases = [
		texts,
		recordings,
		...(values.embeddings === undefined ? [] : [embeddings('embedder')]),
	].filter(({ name }) => wanted.includes(name));
	const models = values.embeddings === undefined ? {} : { embedder: values.embeddings };
	const [load = 0] = loadavg();
	console.log(`${cpus()[0]?.model}, ${cpus().length} cores, load ${load.toFixed(1)} before\n`);
	const rows: FloodRow[] = [];
	for (const one of cases) {
		const daemon = await startDaemon({ models });
		try {
			const row = await flood(one, daemon, {
				callers: values.callers === undefined ? one.callers : Number(values.callers),
				rounds: Number(values.rounds),
				restS: Number(values.rest),
				maxS: Number(values.seconds),
			});
			rows.push(row);
			console.log(sentencesOf(row).join('\n'), '\n');
		} finally {
			await daemon.stop();
		}
	}
	if (values.json) console.log(JSON.stringify(rows, null, '\t'));
	const faults = rows.flatMap(({ name, faults: found }) => found.map((one) => `${name}: ${one}`));
	for (const fault of faults) console.log(`NOT MET ${fault}`);
	return faults.length === 0 ? 0 : 1;
}

function sentencesOf(row: FloodRow): string[] {
	const { statuses, perSecond, fewPerSecond, unit, healthMs, heldMs, megabytes } = row;
	const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
	return [
		`${row.name}: ${row.callers} callers at once, ${row.seconds.toFixed(0)} s`,
		`  answers        ${answers.join(', ')}`,
		`  ${unit}/s`.padEnd(17) +
			`${perSecond.toFixed(0)}; with few callers ${fewPerSecond.toFixed(0)}`,
		`  /health        ${healthMs.max.toFixed(0)} ms at most, ${healthMs.median.toFixed(1)} in the middle, of ${healthMs.count}`,
		`  loop held      ${heldMs.toFixed(0)} ms of its own computing at most`,
		`  memory         ${megabytes.before} MB before, ${megabytes.few} with few, ${megabytes.peak} at most, ${megabytes.after} after`,
	];
}
