/** `nearglot models pull NAME`: licence first, then progress; Ctrl+C pauses, the next run resumes. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { AppError, type Precision } from '../protocol/index.ts';
import { licenceParam } from '../protocol/licenceParam.ts';
import { pullModel as pullModelRoute } from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { hubOf } from './hubChoice.ts';
import { modelsCommandLine, pausedLine, printReady, showEvents, switchOf } from './modelsEvents.ts';

export async function pullModelCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		precision: { type: 'string' },
		revision: { type: 'string' },
		name: { type: 'string' },
		path: { type: 'string' },
		quality: { type: 'boolean' },
		keep: { type: 'boolean' },
		'no-quality': { type: 'boolean' },
		'no-keep': { type: 'boolean' },
		plan: { type: 'boolean' },
		'accept-license': { type: 'boolean' },
		json: { type: 'boolean' },
	});
	const [name, ...more] = options.positionals;
	if (name === undefined || more.length > 0)
		throw new UsageError(
			'models pull takes one name: of the catalogue, or owner/name of a hub, with :FILE or :FORM for one of its GGUF files.',
		);
	if (
		name.includes(':') &&
		options.text('name') !== undefined &&
		options.text('path') !== undefined
	)
		throw new UsageError('Give the file or form behind the name, or --path, not both.');
	const hub = hubOf(io.env);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const own = options.text('name');
	const plan = options.has('plan');
	try {
		const body = {
			...(own === undefined ? { model: name } : named(own, name)),
			// A precision there is not, the daemon refuses with the list of those there are.
			precision: options.text('precision') as Precision | undefined,
			revision: options.text('revision'),
			...(options.text('path') === undefined ? {} : { path: options.text('path') }),
			quality: switchOf(options, 'quality'),
			keep: switchOf(options, 'keep'),
			plan: plan || undefined,
			...hub,
		};
		let planned: object | undefined;
		const pull = (acceptLicense: boolean) =>
			showEvents(
				daemon.stream(
					pullModelRoute,
					{ body: { ...body, acceptLicense } },
					{ signal: io.signal, of: 'download' },
				),
				io,
				(start) => {
					planned = { ...planned, ...start };
				},
			);
		const model = await pull(options.has('accept-license')).catch(async (error: unknown) => {
			await askForLicence(error, args, io);
			return pull(true);
		});
		if (model !== undefined) printReady(model, options.has('json'), io);
		else if (!plan) throw daemon.cut('download');
		else if (options.has('json')) io.stdout.data(`${JSON.stringify(planned ?? {})}\n`);
		return 0;
	} catch (error) {
		if (!io.signal.aborted) throw error;
		io.stderr.write(pausedLine('pull', args));
		return 130;
	}
}

/**
 * Asks for the licence that a download was refused for; nothing has come yet.
 *
 * @throws what was refused for anything else, or where nobody can be asked, or says no
 */
async function askForLicence(
	error: unknown,
	args: readonly string[],
	io: CommandIo,
): Promise<void> {
	if (!(error instanceof AppError) || error.code !== 'forbidden' || error.param !== licenceParam)
		throw error;
	const accept = `Nothing was downloaded. To accept it: ${modelsCommandLine('pull', [...args, '--accept-license'])}`;
	if (!io.stdin.isTTY || !io.stderr.isTTY)
		throw new AppError('forbidden', `${error.message} ${accept}`, { cause: error });
	io.stderr.write(`${error.message}\n`);
	const lines = io.stderr.questions(io.stdin);
	// Ctrl+C and the end of the input are no answer.
	const left = new AbortController();
	lines.on('SIGINT', () => left.abort());
	lines.once('close', () => left.abort());
	try {
		const signal = AbortSignal.any([io.signal, left.signal]);
		const answer = await lines
			.question('Accept it and download? [y/N] ', { signal })
			.catch((reason: unknown) => {
				if (left.signal.aborted) return '\n';
				throw reason;
			});
		if (/^(?:y|yes)$/i.test(answer.trim())) return;
		if (answer === '\n') io.stderr.write('\n');
	} finally {
		lines.close();
	}
	throw new AppError('forbidden', accept, { cause: error });
}

/** A repository under a name of one's own; behind a colon, a file or form of it. */
function named(own: string, name: string) {
	const [repository = '', ...rest] = name.split(':');
	const path = rest.join(':');
	return { model: own, uri: `hf://${repository}`, ...(path === '' ? {} : { path }) };
}
