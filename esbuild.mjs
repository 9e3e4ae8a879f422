/**
 * Bundles the extension, the server and the webview into dist/.
 * Flags: --watch, --production, --out FOLDER (instead of dist/).
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import esbuild from 'esbuild';
import { thirdPartyNotices } from './scripts/notices.mjs';
import { threads } from './scripts/threads.mjs';

const {
	values: { production, watch, out },
} = parseArgs({
	options: {
		production: { type: 'boolean', default: false },
		watch: { type: 'boolean', default: false },
		out: { type: 'string', default: 'dist' },
	},
});
const require = createRequire(import.meta.url);
const { version } = require('./package.json');

/** Native packages stay outside the bundles. */
const external = ['onnxruntime-node', 'koffi', 'vscode'];

/** What BullMQ would use in place of `redis`, and looks for at run time only. */
const otherDrivers = ['ioredis', 'pg', 'bullmq-otel', 'msgpackr-extract', '@valkey/valkey-glide'];

/**
 * CommonJS bundles have no `import.meta.url`; libraries that ask for it get the file's own URL. undici leaves out
 * its second parser of HTTP, which is off, where it sees this bundler. ws looks for no native packages.
 */
const metaUrl = {
	define: {
		'import.meta.url': '__importMetaUrl',
		__nearglotVersion: JSON.stringify(version),
		esbuildDetection: 'true',
		'process.env.WS_NO_BUFFER_UTIL': '"1"',
		'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
	},
	banner: {
		js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
	},
};

const common = {
	bundle: true,
	minify: production,
	keepNames: true,
	sourcemap: !production,
	sourcesContent: false,
	metafile: true,
	logLevel: 'warning',
	loader: { '.wasm': 'binary' },
};

/**
 * The CommonJS build of `jsonc-parser` hides its parts from the bundler. The readers of FLAC and Ogg that
 * come with the decoders are not used (server/audio has its own) and not shipped: they are under the LGPL.
 */
const alias = {
	'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
	'codec-parser': './scripts/noCodecParser.mjs',
};

const node = {
	...common,
	...metaUrl,
	alias,
	platform: 'node',
	target: 'node22.19',
	format: 'cjs',
	external,
};

const builds = [
	{
		...node,
		entryPoints: { extension: 'extension/main.ts' },
		external: [...external, './client.cjs'],
	},
	{ ...node, entryPoints: { client: 'extension/languageClient.ts' } },
	{ ...node, entryPoints: { server: 'server/main.ts' } },
	{ ...node, entryPoints: { runner: 'server/runner.ts' } },
	...Object.entries(threads).map(([name, file]) => ({ ...node, entryPoints: { [name]: file } })),
	{ ...node, entryPoints: { 'otlp-traces': 'server/services/observe/otlpTraces.ts' } },
	{
		...node,
		entryPoints: { 'bull-queue': 'server/jobs/bullQueue.ts' },
		external: [...external, ...otherDrivers],
	},
	{ ...node, entryPoints: { 's3-store': 'server/jobs/s3Store.ts' } },
	{
		...common,
		entryPoints: {
			chat: 'webview/chat.tsx',
			studio: 'webview/studio.tsx',
			transcript: 'webview/transcript.tsx',
			dictation: 'webview/dictation.tsx',
			review: 'webview/review.tsx',
			recorder: 'webview/recorder.tsx',
			recorderWorklet: 'webview/recorderWorklet.ts',
		},
		outdir: join(out, 'webview'),
		platform: 'browser',
		target: 'es2023',
		format: 'esm',
		splitting: true,
		jsx: 'automatic',
		jsxImportSource: 'preact',
	},
]
	.map((build) => ({
		outdir: out,
		...build,
		...(build.format === 'cjs' ? { outExtension: { '.js': '.cjs' } } : {}),
		entryPoints: Object.fromEntries(
			Object.entries(build.entryPoints).filter(([, file]) => existsSync(file)),
		),
	}))
	.filter((build) => Object.keys(build.entryPoints).length > 0);

/** The dictionary that reads Japanese aloud. */
const kuromojiFiles = [
	'base',
	'cc',
	'check',
	'tid',
	'tid_map',
	'tid_pos',
	'unk',
	'unk_char',
	'unk_compat',
	'unk_invoke',
	'unk_map',
	'unk_pos',
].map((name) => `${name}.dat.gz`);

/** Grammars for comments and strings; see server/lsp/prose/grammars.ts. */
const grammars = [
	'bash',
	'c-sharp',
	'cpp',
	'css',
	'go',
	'ini',
	'java',
	'javascript',
	'php',
	'powershell',
	'python',
	'ruby',
	'rust',
	'tsx',
	'typescript',
].map((name) => `tree-sitter-${name}`);

/** Files that bundled libraries load at run time, copied beside the bundles: [from package, to dist/]. */
const assets = [
	['web-tree-sitter/web-tree-sitter.wasm', 'wasm/web-tree-sitter.wasm'],
	['vscode-oniguruma/release/onig.wasm', 'wasm/onig.wasm'],
	['@jsquash/png/codec/pkg/squoosh_png_bg.wasm', 'wasm/squoosh_png_bg.wasm'],
	['@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm', 'wasm/mozjpeg_dec.wasm'],
	['@jsquash/webp/codec/dec/webp_dec.wasm', 'wasm/webp_dec.wasm'],
	['@mlc-ai/web-xgrammar', 'wasm/web-xgrammar.cjs'],
	...grammars.map((name) => [`@vscode/tree-sitter-wasm/wasm/${name}.wasm`, `wasm/${name}.wasm`]),
	[
		'fasttext.wasm.js/dist/models/language-identification/assets/lid.176.ftz',
		'data/translate/lid.176.ftz',
	],
	['fasttext.wasm.js/dist/core/fastText.node.wasm', 'data/translate/fastText.node.wasm'],
	...kuromojiFiles.map((file) => [`kuromoji/dict/${file}`, `data/translate/kuromoji/${file}`]),
];

async function copyAssets() {
	for (const [from, to] of assets) {
		const target = join(out, to);
		await mkdir(dirname(target), { recursive: true });
		await cp(require.resolve(from), target);
	}
}

/** Files of packages that are in the bundles or beside them. */
function shippedFiles(built) {
	const bundled = built.flatMap(({ metafile }) =>
		Object.values(metafile.outputs).flatMap(({ inputs }) =>
			Object.entries(inputs)
				.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
				.map(([file]) => file),
		),
	);
	return [...bundled, ...assets.map(([from]) => `node_modules/${from}`)];
}

await mkdir(out, { recursive: true });
if (watch) {
	// The editor's build task waits for these two lines.
	console.log('building');
	const contexts = await Promise.all(builds.map((build) => esbuild.context(build)));
	await Promise.all([copyAssets(), ...contexts.map((context) => context.rebuild())]);
	await Promise.all(contexts.map((context) => context.watch()));
	console.log('watching');
} else {
	await rm(join(out, 'webview'), { recursive: true, force: true });
	const [, ...built] = await Promise.all([
		copyAssets(),
		...builds.map((build) => esbuild.build(build)),
	]);
	await writeFile(join(out, 'ThirdPartyNotices.txt'), thirdPartyNotices(shippedFiles(built)));
}
