/** `nearglot serve`: the daemon in the foreground, or in the background for those who need one. */

import { readFile } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { createBackend } from '../daemon/backend.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { createLogger, type LogOptions } from '../daemon/fileLogger.ts';
import { checkJobs } from '../daemon/jobsBackend.ts';
import { builtInModelsDir, programState, thisMachine } from '../daemon/machine.ts';
import { daemonFiles, dataDir } from '../daemon/paths.ts';
import { devices, providerRefusals } from '../daemon/providerChoice.ts';
import { checkShared } from '../daemon/sharedBackend.ts';
import { isLoopback } from '../gateway/config/publicUrl.ts';
import { secretProblem } from '../gateway/keys/secretProblem.ts';
import { gatewaySecretName, sharedSecrets } from '../gateway/keys/sharedSecret.ts';
import { defaultDrainS } from '../net/ending.ts';
import { defined } from '../protocol/defined.ts';
import { asAppError, toErrorWire } from '../protocol/index.ts';

import { onNotice } from '../store/notices.ts';
import { type ParsedArgs, readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { fileProblem } from './fileProblem.ts';
import { hostNamesOf, modelsFolder, originsOf } from './serveChecks.ts';
import { jobsOptionsOf, maxWaitingOf } from './serveJobs.ts';
import { keyNeeded, ownKey } from './serveKey.ts';
import { openPorts, operationsOf } from './serveOperations.ts';
import { peopleOptionsOf, sharedUrlOf } from './servePeople.ts';

const help = `
Usage: nearglot serve [OPTIONS]

Runs the local server until it is stopped.

  --port N           port to listen on (default: any free one)
  --host H           address to listen on (default 127.0.0.1); others need a key
  --models DIR       folder of your models (default: in the data folder)
  --model-root DIR   another folder that downloads may be put into (customDirPath); repeatable
  --require-key      every route needs the key, also on this machine
  --allow-origin O   a web page's origin that may call, e.g. https://studio.example; repeatable
  --allow-host H     another host name that may be used to call; repeatable
  --ttl S            seconds an unused model stays loaded (default 600, 0 = indefinitely)
  --refuse-ep W      a processor ('ep') that cannot be used is refused where a request names it (named, the
                     default), also where a model's files do (always), or never: then the CPU does the work
  --device W         where chat models run when neither a request nor their files say so: cpu (default), or auto:
                     on a graphics processor where a short test at the first load finds it faster
  --exact            activations beside 4-bit weights in single precision unless a request says otherwise:
                     exact, and several times slower
  --threads N        threads per model (default: physical cores)
  --chat-template F  Jinja file for models that have no chat template of their own
  --context N        longest context in tokens (default: each model's own)
  --metrics-label N  caller fact that becomes a metric label: user, or a metadata key; repeatable
  --person-limits L  limits of everybody who signs in through a gateway: tokens-per-minute=N, tokens-per-day,
                     seconds-…, characters-…, with commas (default: those of nearglot keys people)
  --redis URL        redis://…: replicas that name the same Redis or Valkey count limits and usage together and have
                     the same keys, systems, glossaries, responses and conversations (NEARGLOT_REDIS;
                     --limits before)
  --usage-days N     days after which usage is forgotten (default 400)
  --store PLACE      folder, or s3://bucket/folder, of uploaded files and batches (default: in the data folder)
  --queue N|URL      a number: requests that may wait for a model (default 256); redis://…: machines that name the
                     same queue and store do batches together (NEARGLOT_QUEUE); repeatable for both
  --work N           parts of batches that are done at a time (default 1; 0: others of the queue do them)
  --drain S          seconds that open answers get when it is told to end (default ${defaultDrainS}); a second
                     signal ends it at once
  --preload MODEL    load it at the start and keep it; not ready before; repeatable
  --ops-port N       a second port for probes and scrapers: /livez, /readyz and /metrics, numbers only, without a key;
                     the number of --port answers them there, for routers that scrape where they send requests
  --ops-host H       address of that port (default 127.0.0.1)
  --metrics-names W  names of its numbers: nearglot, or vllm for those of vLLM besides
  --log-level L      silent, error, warn, info or debug (default warn)
  --json             print one line {"url","key","pid","secret"} when ready

A gateway in front signs who is signed in with NEARGLOT_GATEWAY_SECRET, which both are given; on the same
machine and for the same user a file in the data folder does.
The key is taken from NEARGLOT_KEY, or from the file that NEARGLOT_KEY_FILE names, or made anew at each start
and written to endpoint.json in the data folder, which NEARGLOT_HOME moves.
`;

const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export const serveCommand: Command = {
	name: 'serve',
	summary: 'Run the model server.',
	outlivesOutput: true,
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			port: { type: 'string' },
			host: { type: 'string' },
			models: { type: 'string' },
			'model-root': { type: 'string', multiple: true },
			'require-key': { type: 'boolean' },
			'allow-origin': { type: 'string', multiple: true },
			'allow-host': { type: 'string', multiple: true },
			ttl: { type: 'string' },
			'refuse-ep': { type: 'string' },
			device: { type: 'string' },
			exact: { type: 'boolean' },
			threads: { type: 'string' },
			queue: { type: 'string', multiple: true },
			'chat-template': { type: 'string' },
			context: { type: 'string' },
			'metrics-label': { type: 'string', multiple: true },
			'person-limits': { type: 'string' },
			redis: { type: 'string' },
			limits: { type: 'string' },
			'usage-days': { type: 'string' },
			store: { type: 'string' },
			work: { type: 'string' },
			drain: { type: 'string' },
			preload: { type: 'string', multiple: true },
			'ops-port': { type: 'string' },
			'ops-host': { type: 'string' },
			'metrics-names': { type: 'string' },
			'log-level': { type: 'string' },
			'idle-end': { type: 'string' },
			background: { type: 'boolean' },
			json: { type: 'boolean' },
		});
		if (options.positionals.length > 0)
			throw new UsageError(`serve takes no argument '${options.positionals[0]}'.`);
		try {
			return await serve(options, io);
		} catch (error) {
			// The process that waits for the line must hear of the failure, not of an end.
			if (!options.has('json') || error instanceof UsageError) throw error;
			io.stdout.data(`${JSON.stringify({ error: toErrorWire(asAppError(error)) })}\n`);
			if (!options.has('background')) throw error;
			return 1;
		}
	},
};

async function serve(options: ParsedArgs, io: CommandIo): Promise<number> {
	const machine = thisMachine(io.env);
	const files = daemonFiles(machine, dataDir(machine));
	const background = options.has('background');
	const allowedOrigins = originsOf(options.texts('allow-origin'));
	const allowedHosts = hostNamesOf(options.texts('allow-host'));
	const host = options.text('host') ?? '127.0.0.1';
	const gatewaySecrets = gatewaySecretsOf(dataDir(machine), io.env);
	const key = await ownKey(io.env);
	const requireKey = keyNeeded(options.has('require-key'), host, key);
	const operations = operationsOf(options);
	const limits = peopleOptionsOf(options);
	const shared = sharedUrlOf(options, io.env);
	const jobs = jobsOptionsOf(options, io.env);
	const threads = options.integer('threads', 1, 1024);
	const exact = options.has('exact') || undefined;
	const chatTemplate = await templateOf(options);
	const maxWaiting = maxWaitingOf(options);
	const contextLength = options.integer('context', 16, 1 << 24);
	const port = options.integer('port', 0, 65_535) ?? 0;
	const drainMs = (options.number('drain', 0, 86_400) ?? defaultDrainS) * 1000;
	const defaultTtlS = options.number('ttl', 0, 1e9) ?? 600;
	const refuseProvider = oneOf(
		'--refuse-ep',
		providerRefusals,
		options.text('refuse-ep') ?? io.env['NEARGLOT_REFUSE_EP'] ?? 'named',
	);
	const device = oneOf(
		'--device',
		devices,
		options.text('device') ?? io.env['NEARGLOT_DEVICE'] ?? 'cpu',
	);
	const idleEndMs = (options.number('idle-end', 0.05, 1e9) ?? 900) * 1000;
	const say = (line: string) => void io.stderr.write(line);
	const chosen = modelsDirOf(options, io.env);
	if (chosen) modelsFolder(chosen.option, chosen.path, say);
	const modelRoots = modelRootsOf(options, io.env);
	for (const root of modelRoots) modelsFolder('--model-root', root, say);
	await checkJobs(jobs, say);
	await checkShared(shared);
	const log = createLogger({
		level: logLevel(options, background),
		...(background ? { file: files.log } : {}),
	});
	// In the foreground they are printed like those of every command.
	using _notices = background ? onNotice((text) => log.warn(text)) : undefined;
	const daemon = await startDaemon(
		{ persistent: !background, idleEndMs, ...(key ? { key } : {}) },
		{
			machine,
			log,
			isCurrent: () => programState() === 'there',
			backend: async (context) =>
				createBackend(
					{
						...context,
						modelsDir: chosen?.path ?? files.models,
						modelsDirFixed: chosen !== undefined,
						modelRoots,
						builtInDir: builtInModelsDir(),
						persistent: !background,
						env: io.env,
						metricLabels: options.texts('metrics-label'),
						...{ limits, shared, jobs },
						models: {
							defaultTtlS,
							refuseProvider,
							device,
							loadTimeoutMs: 600_000,
							load: defined({ threads, chatTemplate, maxWaiting, contextLength, exact }),
						},
					},
					{ log },
				),
			listen: (backend, actualKey) =>
				openPorts(backend, operations, {
					port,
					host,
					key: actualKey,
					requireKey,
					gatewaySecrets,
					allowedOrigins,
					allowedHosts: [...allowedHosts, ...(isLoopback(host) ? [] : [host])],
				}),
		},
	);
	io.signal.addEventListener('abort', () => daemon.stop('interrupted', drainMs), {
		once: true,
	});
	// One request's mistake must not end the others.
	process.on('unhandledRejection', (error) =>
		log.error('unhandled rejection', {
			reason: error instanceof Error ? error.stack : String(error),
		}),
	);
	if (io.signal.aborted) daemon.stop('interrupted');
	const { endpoint } = daemon;
	io.stdout.write(
		options.has('json')
			? `${JSON.stringify({ ...endpoint, ...defined({ ops: operations.url }) })}\n`
			: readyWords(
					endpoint.url,
					operations.url,
					`${files.endpoint}${requireKey ? ' (needed)' : ''}`,
				),
	);
	await daemon.ended;
	if (operations.failure !== undefined) throw operations.failure;
	return 0;
}

function readyWords(url: string, ops: string | undefined, key: string): string {
	const probes = ops === undefined ? '' : `Probes and numbers: ${ops}/readyz, ${ops}/metrics\n`;
	const studio = `Studio (chat, translation, transcription, models): open ${url}/ in a browser.`;
	return `Nearglot listens on ${url}/v1\n${studio}\n${probes}Key: in ${key}\nStop with Ctrl+C.\n`;
}

function oneOf<Word extends string>(option: string, words: readonly Word[], text: string): Word {
	const found = words.find((word) => word === text);
	if (found === undefined)
		throw new UsageError(`${option} is one of ${words.join(', ')}, not '${text}'.`);
	return found;
}

/** The folder of models that was asked for; undefined: the one in the data folder. */
function modelsDirOf(
	options: ParsedArgs,
	env: NodeJS.ProcessEnv,
): { readonly option: string; readonly path: string } | undefined {
	const flag = options.text('models');
	if (flag !== undefined) return { option: '--models', path: flag };
	const path = env['NEARGLOT_MODELS'];
	return path ? { option: 'NEARGLOT_MODELS', path } : undefined;
}

/** Folders of the command line and of NEARGLOT_MODEL_ROOTS, which has them as PATH has its own. */
function modelRootsOf(options: ParsedArgs, env: NodeJS.ProcessEnv): string[] {
	const listed = (env['NEARGLOT_MODEL_ROOTS'] ?? '').split(delimiter).filter((path) => path !== '');
	const roots = [...options.texts('model-root'), ...listed];
	const relative = listed.find((path) => !isAbsolute(path));
	if (relative !== undefined)
		throw new UsageError(`NEARGLOT_MODEL_ROOTS: ${relative} is not an absolute path.`);
	return [...new Set(roots.map((path) => resolve(path)))];
}

async function templateOf(options: ParsedArgs): Promise<string | undefined> {
	const file = options.text('chat-template');
	if (file === undefined) return undefined;
	return readFile(file, 'utf8').catch((error) => {
		throw new UsageError(`--chat-template: ${file} cannot be read: ${fileProblem(error)}.`);
	});
}

function gatewaySecretsOf(directory: string, env: NodeJS.ProcessEnv) {
	const weak = env[gatewaySecretName] ? secretProblem(env[gatewaySecretName]) : undefined;
	if (weak !== undefined) throw new UsageError(`${gatewaySecretName} ${weak}`);
	return sharedSecrets(directory, env);
}

function logLevel(options: ParsedArgs, background: boolean): LogOptions['level'] {
	const asked = options.text('log-level');
	if (asked === undefined) return background ? 'info' : 'warn';
	const level = levels.find((name) => name === asked);
	if (!level) throw new UsageError(`--log-level is one of ${levels.join(', ')}, not '${asked}'.`);
	return level;
}
