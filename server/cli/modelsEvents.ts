/** What people read while a model is downloaded or built: licence, sizes and memory first, then progress. */

import { isAbsolute } from 'node:path';
import { isOpenLicence, type ModelInfo } from '../protocol/index.ts';
import type { buildLocalModel, pullModel } from '../protocol/routeAddresses.ts';
import type { EventOf } from '../protocol/routes/route.ts';
import type { ParsedArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { lossText } from './lossText.ts';
import { ProgressBar } from './progressBar.ts';
import { byteText } from './textTable.ts';

type Event = EventOf<typeof pullModel> | EventOf<typeof buildLocalModel>;
type Start = Extract<Event, { start: unknown }>['start'];

/** Licence and size, said before the first byte. */
function startLine({ repository, license, totalBytes, unverified = 0, build }: Start): string {
	const terms = termsText(license, isAbsolute(repository));
	const hashes =
		unverified === 0
			? ''
			: `The hub states no hash for ${unverified} of its files: damage on the way would not be noticed.\n`;
	return `${repository}: ${byteText(totalBytes)}, ${terms}.\n${hashes}${build === undefined ? '' : buildLine(build)}`;
}

/** @param isHere of files of this machine: no page goes with them */
function termsText(license: string | undefined, isHere: boolean): string {
	const page = isHere ? '' : '; see its page';
	if (license === undefined) return `no licence is stated${page}`;
	return isOpenLicence(license)
		? `licence ${license}`
		: `licence ${license}, which has conditions${page}`;
}

function buildLine(build: NonNullable<Start['build']>): string {
	const { reason, architecture, parameters, storedAs, sizeBytes, memoryBytes, tokensPerSecond } =
		build;
	const count =
		parameters < 1e6
			? parameters.toLocaleString('en')
			: `${(parameters / 1e6).toLocaleString('en', { maximumFractionDigits: parameters < 1e7 ? 1 : 0 })} million`;
	const weights = `${count} weights, stored as ${storedAs}`;
	const speed =
		tokensPerSecond === undefined
			? ''
			: `; its answers grow by an estimated ${speedText(tokensPerSecond)} a second`;
	return `${reason}\n${architecture}, ${weights}. The model takes ${byteText(sizeBytes)} on the disk and about ${byteText(memoryBytes)} of memory${speed}.\n`;
}

/** By what one thread reads: several may read more, and what is computed beside it is left out, which bounds small models. */
function speedText(tokensPerSecond: number): string {
	if (tokensPerSecond >= 100) return '100 tokens or more';
	return `${tokensPerSecond.toPrecision(tokensPerSecond < 1 ? 1 : 2)} tokens`;
}

/** Whether an option was given, or with `no-` in front its opposite; `undefined` for neither. */
export function switchOf(options: ParsedArgs, name: string): boolean | undefined {
	const [yes, no] = [options.has(name), options.has(`no-${name}`)];
	if (yes && no) throw new UsageError(`--${name} and --no-${name} exclude each other.`);
	return yes ? true : no ? false : undefined;
}

const isWindows = process.platform === 'win32';
const plainWord = isWindows ? /^[\w@+=:./\\-]+$/ : /^[\w@%+=:,./-]+$/;

/** A command with its arguments as a shell reads them. */
export function modelsCommandLine(command: 'pull' | 'import', args: readonly string[]): string {
	const words = args.map((word) =>
		plainWord.test(word) ? word : isWindows ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`,
	);
	return `nearglot models ${command} ${words.join(' ')}`;
}

/** What to type to go on, with all options: another form would be begun anew. */
export const pausedLine = (command: 'pull' | 'import', args: readonly string[]): string =>
	`Paused. Run it again to resume: ${modelsCommandLine(command, args)}\n`;

/**
 * Shows events until the model is there.
 * @returns the model; `undefined` when the events ended without one
 */
export async function showEvents(
	events: AsyncIterable<Event>,
	io: CommandIo,
	onStart: (start: Start) => void = () => {},
): Promise<ModelInfo | undefined> {
	const bar = new ProgressBar(io.stderr);
	let phase: string | undefined = '';
	let first: Start | undefined;
	try {
		for await (const event of events) {
			if ('start' in event) {
				const { build } = event.start;
				// What is built of files that were fetched first is told of twice.
				if (first !== undefined && build !== undefined) {
					bar.end();
					const { license } = event.start;
					if (license !== undefined && license !== first.license)
						io.stderr.write(`The file says: ${termsText(license, true)}.\n`);
					io.stderr.write(buildLine(build));
				} else io.stderr.write(startLine(event.start));
				first = event.start;
				onStart(event.start);
			}
			if ('progress' in event) {
				const { phase: now } = event.progress;
				if (now !== undefined && now !== phase) {
					bar.end();
					io.stderr.write(now === 'build' ? 'Building …\n' : 'Checking …\n');
				}
				phase = now;
				bar.update(event.progress);
				if (event.progress.loss !== undefined) {
					bar.end();
					io.stderr.write(`Lost by building: ${lossText(event.progress.loss)}.\n`);
				}
			}
			if ('waitingFor' in event)
				io.stderr.write('Another process is downloading this model; waiting for it.\n');
			if ('notice' in event) {
				bar.end();
				io.stderr.write(`${event.notice}\n`);
			}
			if ('model' in event) return event.model;
		}
		return undefined;
	} finally {
		bar.end();
	}
}

/** Prints the model that is ready. */
export function printReady(model: ModelInfo, json: boolean, io: CommandIo): void {
	if (json) io.stdout.data(`${JSON.stringify(model)}\n`);
	else
		io.stdout.write(
			`${model.id} is ready (${byteText(model.sizeBytes)}, ${model.folder ?? ''}).\n`,
		);
}
