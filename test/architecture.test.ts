/** The invariants of docs/architecture.md that can be read off the tree. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imports, type Source, sources, target } from './architecture/sources.ts';

const all = ['server', 'extension', 'webview'].flatMap((folder) => sources(folder));

/** Folders from top to bottom: a file may import from its own and from lower layers only. */
const layers = [
	'server/main.ts',
	'server/runner.ts',
	'server/cli',
	'server/lsp',
	'server/http',
	'server/daemon',
	'server/jobs',
	'server/services',
	'server/translate',
	'server/engine',
	'server/audio',
	'server/hub',
	'server/remote',
	'server/gateway',
	'server/work',
	'server/net',
	'server/store',
	'server/protocol',
];
const adapters = new Set(['server/cli', 'server/lsp', 'server/http']);
const layerOf = (path: string) =>
	layers.findIndex((layer) => path === layer || path.startsWith(`${layer}/`));

test('imports between the folders of the server go only downwards', () => {
	const wrong: string[] = [];
	for (const source of all.filter((file) => file.path.startsWith('server/'))) {
		const from = layerOf(source.path);
		assert.notEqual(from, -1, `${source.path} is in no layer`);
		for (const specifier of imports(source)) {
			const path = target(source, specifier);
			if (path === undefined) continue;
			const to = layerOf(path);
			const bothAdapters =
				adapters.has(layers[from] ?? '') && adapters.has(layers[to] ?? '') && from !== to;
			const composes = source.path.startsWith('server/cli/');
			if (to < from || (bothAdapters && !composes)) wrong.push(`${source.path} → ${path}`);
		}
	}
	assert.deepEqual(wrong, []);
});

/** Who renames and removes at once, where nobody can wait, and why that may fail. */
const movesAtOnce: Readonly<Record<string, string>> = {
	'extension/transcripts/unsentRecordings.ts':
		'the file of a window that goes away, which cannot wait; the next look tries again',
	'server/store/sqliteFile.ts':
		'a damaged file is set aside while it is opened, which cannot wait; nothing else has it open',
	'server/store/jsonFile.ts':
		'a damaged file is set aside before it is read; the next start tries again',
	'server/store/checkPlace.ts': 'what it has written to see whether it can',
	'server/gateway/keys/keyFile.ts': 'the keys of a gateway that starts',
	'server/daemon/fileLogger.ts': 'the log goes on in the old file',
	'server/daemon/runnerProcess.ts': 'an empty folder of a process that has ended',
	'server/daemon/runnerWall.ts': 'an empty folder of a process that has ended',
};

test('renames and removals go through the one module that waits for virus scanners', () => {
	const patient = /^import \{[^}]*\b(?:rm|rename|unlink|rmdir)\b[^}]*\} from 'node:fs\/promises'/m;
	const atOnce = /\b(?:rmSync|renameSync|unlinkSync|rmdirSync)\(/;
	const found = all.filter(({ text }) => patient.test(text)).map(({ path }) => path);
	// Folders of another program, and those without batches, are only removed while they are empty, or left.
	const whileEmpty = ['server/daemon/telemetryFiles.ts', 'server/jobs/folderStore.ts'];
	assert.deepEqual(found, [...whileEmpty, 'server/store/movePath.ts']);
	const sync = all.filter(({ text }) => atOnce.test(text)).map(({ path }) => path);
	assert.deepEqual(new Set(sync), new Set(Object.keys(movesAtOnce)));
});

test('the end of a client is looked for where it may have come already', () => {
	const waits = /\b(?:response|outgoing|incoming|request|socket)\??\.once\('close'/;
	const found = all
		.filter(({ path }) => /^server\/(?:http|gateway|net)\//.test(path))
		.filter(({ text }) => waits.test(text))
		.map(({ path }) => path);
	// One is a WebSocket that was just made, the other a connection that is.
	assert.deepEqual(found.sort(), [
		'server/gateway/proxy/upstreamProof.ts',
		'server/http/realtimeSocket.ts',
	]);
});

/** Who opens, reads, links or copies files without waiting for programs that hold them, and why. */
const opensAtOnce: Readonly<Record<string, string>> = {
	...movesAtOnce,
	'extension/transcripts/recordingFile.ts': 'a recording that a person names',
	'server/audio/audioSource.ts': 'a recording that a person names',
	'server/audio/decodeWorker.ts': 'its own file of the scratch folder',
	'server/audio/liveAudio.ts': 'its own file of the scratch folder',
	'server/audio/threadedDecode.ts': 'its own file of the scratch folder',
	'server/cli/documentFile.ts': 'a document that a person names',
	'server/cli/modelsShortlist.ts': 'a text that a person names',
	'server/cli/serveCommand.ts': 'a file that a person names',
	'server/cli/serveKey.ts': 'a file that a person names',
	'server/cli/gatewayCommand.ts': 'a file that a person names',
	'server/cli/sourceFiles.ts': 'rules of a folder that a person names',
	'server/daemon/ownProgram.ts': 'a part of this program',
	'server/daemon/telemetryFiles.ts': 'files of another program, looked at again at the next start',
	'server/engine/devices/system.ts': 'what the system says of devices',
	'server/engine/grammar/xgrammarModule.ts': 'a part of this program',
	'server/engine/onnx/optimizeGraph.ts': 'a new file of a random name',
	'server/engine/build/buildModel.ts': 'its own file, which is open while it is written',
	'server/engine/runtime/confine.ts': 'Linux alone',
	'server/engine/runtime/kernelLibrary.ts': 'a part of this program',
	'server/engine/runtime/nativePackages.ts': 'a part of this program',
	'server/engine/runtime/threads.ts': 'what the system says of processors',
	'server/engine/vision/decodeImage.ts': 'a part of this program',
	'server/gateway/keys/readKeyFile.ts': 'the keys of a gateway that starts, or looked at again',
	'server/gateway/observe/audit.ts': 'a log that is open all the time',
	'server/gateway/openParts.ts': 'parts of this program, and files that a person names',
	'server/gateway/store/sqliteStore.ts': 'a new database',
	'server/http/peerUser.ts': 'Linux alone',
	'server/http/studioRoutes.ts': 'a part of this program',
	'server/lsp/prose/languageFile.ts': 'a part of the editor',
	'server/lsp/prose/textmate.ts': 'a part of the editor',
	'server/lsp/workspace/ignoreRules.ts': 'files of the editor, looked at again when they change',
	'server/lsp/workspace/walkFiles.ts': 'files of the editor, looked at again when they change',
	'server/net/outbound.ts': 'a file that a person names',
	'server/services/mcpTools.ts': 'a recording that a person names',
	'server/services/speech/waveform.ts': 'a new file of a random name',
	'server/services/translate/translateSystems.ts': 'glossaries that a person edits',
	'server/store/openSqlite.ts': 'a new database',
	'server/store/processIdentity.ts': 'Linux alone',
	'server/translate/detect.ts': 'a part of this program',
};

test('what the product keeps is opened, read, linked and copied by the one module that waits for virus scanners', () => {
	const names = '(?:open|readFile|link|symlink|cp|copyFile|opendir)';
	const patient = new RegExp(`^import \\{[^}]*\\b${names}\\b[^}]*\\} from 'node:fs/promises'`, 'm');
	const atOnce = new RegExp(`\\b${names}Sync\\(`);
	const opening = all.filter(({ text }) => patient.test(text) || atOnce.test(text));
	const wrong = opening
		.map(({ path }) => path)
		.filter((path) => !(path in opensAtOnce) && path !== 'server/store/openPath.ts');
	assert.deepEqual(wrong, []);
	for (const path of Object.keys(opensAtOnce))
		assert.ok(path in movesAtOnce || opening.some((source) => source.path === path), path);
});

test('nothing is used that the oldest Node which runs the product lacks, though types and tests of today know it', () => {
	// The types of `using` bring these along; of other younger things there are no types.
	const younger = /\b(?:Async)?DisposableStack\b/;
	const using = all.filter(({ text }) => younger.test(text.replace(/^\s*(?:\/?\*).*$/gm, '')));
	assert.deepEqual(
		using.map(({ path }) => path),
		[],
	);
});

test('paths that Windows may find too long go to libraries and programs by the one module that knows how', () => {
	/** Each call of code outside of Node with a path, and what that path must be. */
	const given: readonly (readonly [string, RegExp, RegExp])[] = [
		['a library', /\b(?:koffi|loadKoffi\(\))\.load\((?!null|')(.*)$/gm, /^nativePath\(/],
		['a database', /\bnew DatabaseSync\((.*)$/gm, /^nativePath\(/],
		['weights', /\bweightsFolderKey, (.*)$/gm, /^nativePath\(/],
		["the engine's own library", /'RegisterCustomOpsLibrary', \w+, (.*)$/gm, /^nativePath\(/],
		['a folder to start in', /^\t+cwd: (.*)$/gm, /^(?:startFolder\(|homedir\(\))/],
	];
	for (const [what, pattern, right] of given) {
		const found = all.flatMap(({ path, text }) =>
			[...text.matchAll(pattern)].map(([, argument = '']) => ({ path, argument })),
		);
		assert.ok(found.length > 0, what);
		assert.deepEqual(
			found.filter(({ argument }) => !right.test(argument)),
			[],
			what,
		);
	}
	const opening = all.filter(({ text }) =>
		/^import (?!type)[^;]*from 'node:sqlite'|'node:sqlite'\)/m.test(text.replace(/import\('/g, '')),
	);
	assert.deepEqual(
		opening.map(({ path }) => path),
		['server/store/sqlite.ts'],
	);
});

test('the home folder is asked for where a system that knows none is expected', () => {
	const asking = all.filter(({ path, text }) => /^server/.test(path) && /\bhomedir\b/.test(text));
	assert.deepEqual(
		asking.map(({ path }) => path),
		['server/store/homeFolder.ts'],
	);
});

test('where links lead is asked in the one place that knows drives which do not tell', () => {
	const asking = all.filter(({ text }) => /\brealpath\b/.test(text));
	assert.deepEqual(
		asking.map(({ path }) => path),
		['server/store/realPath.ts'],
	);
});

test('the end of a process is waited for in the one place that gives its pipes up', () => {
	/** Who waits for all that a program says, and ends it where that takes too long. */
	const readers = ['server/audio/ffmpegAudio.ts', 'server/audio/systemMicrophone.ts'];
	const waiting = all.filter(({ text }) => /\bchild\.(?:on|once)\(\s*'close'/.test(text));
	assert.deepEqual(
		waiting.map(({ path }) => path),
		[...readers, 'server/daemon/processEnd.ts'],
	);
});

test('how much memory can be had is asked in the one place that knows each system', () => {
	const asking = all.filter(({ text }) => /\b(?:freemem|availableMemory|vm_stat)\b/.test(text));
	assert.deepEqual(
		asking.map(({ path }) => path),
		['server/net/roughMemory.ts', 'server/net/usableMemory.ts'],
	);
});

/** What runs templates, tokenizers and grammars of models, and who may: threads, and whoever loads a model. */
const runsModelText: ReadonlyMap<string, readonly string[]> = new Map([
	[
		'server/engine/text/textModel.ts',
		[
			'server/engine/text/textWorker.ts',
			// They decode what a model writes and read what is sent through the reader.
			'server/engine/engine.ts',
			// Commands of the owner, in a process of their own.
			'server/engine/learnShortlist.ts',
		],
	],
	['server/engine/tokenizer/loadTokenizer.ts', ['server/engine/text/textModel.ts']],
	['server/engine/template/chatTemplate.ts', ['server/engine/text/textModel.ts']],
	['server/engine/template/jinja.ts', ['server/engine/template/chatTemplate.ts']],
	['server/engine/grammar/compileConstraint.ts', ['server/engine/grammar/grammarWorker.ts']],
]);

test('templates, tokenizers and grammars of models run in threads that can be ended', () => {
	const seen = new Set<string>();
	for (const source of all)
		for (const specifier of imports(source)) {
			const path = target(source, specifier) ?? '';
			const allowed = runsModelText.get(path);
			if (allowed === undefined) continue;
			assert.ok(allowed.includes(source.path), `${source.path} imports ${path}`);
			seen.add(`${source.path} ${path}`);
		}
	for (const [path, allowed] of runsModelText)
		for (const source of allowed) assert.ok(seen.has(`${source} ${path}`), `${source} ${path}`);
});

/** Who reads model folders where others wait for the loop, and why that takes no time. */
const readsFolders: Readonly<Record<string, string>> = {
	'server/daemon/folderJobs.ts': 'in a thread, where a file is large',
	'server/daemon/modelProfile.ts': 'called by the one above',
	'server/services/translate/translateModels.ts': 'names what the one above calls',
};

test('the daemon reads model folders by the one door that parses large files aside', () => {
	const readers =
		/\b(describeModel|generationSettings|readChatTemplate|loadToolFormat|readModelLanguages)\b/;
	const reading = all.filter(
		({ path, text }) => /^server\/(daemon|services|http)\//.test(path) && readers.test(text),
	);
	assert.deepEqual(new Set(reading.map(({ path }) => path)), new Set(Object.keys(readsFolders)));
});

test('answers of any length are written in slices: one module makes JSON of what routes answer', () => {
	// Errors and pages of fixed size are written as they are.
	const direct = /\bcontext\.json\(|\bResponse\.json\((?!\s*\{ error\b)/;
	const routes = all.filter(({ path }) => path.startsWith('server/http/'));
	assert.deepEqual(
		routes.filter(({ text }) => direct.test(text)).map(({ path }) => path),
		[],
	);
});

test('only server/engine imports onnxruntime-node and koffi, only extension imports vscode', () => {
	for (const source of all) {
		for (const specifier of imports(source)) {
			if (/^(onnxruntime-node|koffi)(\/|$)/.test(specifier))
				assert.match(source.path, /^server\/engine\//, `${source.path} imports ${specifier}`);
			if (specifier === 'vscode')
				assert.match(source.path, /^extension\//, `${source.path} imports vscode`);
		}
	}
});

/** What reads a body that somebody sent, or hands the whole request to something that may. */
const readsBody =
	/\.raw\.body\b|\breq(?:\.raw)?\.(?:json|text|parseBody|formData|arrayBuffer|blob|bytes)\(|\(\s*context\.req\.raw\s*[,)]/;
const bodyReaders = new Set([
	'server/http/requestBody.ts',
	'server/http/upload.ts',
	// Looks at method and headers.
	'server/http/guard.ts',
]);
const jsonParsers = new Set([
	'server/http/jsonText.ts',
	// A setting of the owner.
	'server/http/translate/translateInput.ts',
	// Answers of this server.
	'server/http/batchItems.ts',
	'server/http/withoutPaths.ts',
]);

test('bodies are read in one place, with limits, after it is decided who may use a route', () => {
	const routes = all.filter(({ path }) => path.startsWith('server/http/'));
	const filesWith = (pattern: RegExp) =>
		new Set(routes.filter(({ text }) => pattern.test(text)).map(({ path }) => path));
	assert.deepEqual(filesWith(readsBody), bodyReaders);
	assert.deepEqual(filesWith(/\bJSON\.parse\(/), jsonParsers);
	assert.deepEqual(filesWith(/\bnew URLSearchParams\(/), new Set(['server/http/formText.ts']));
});

/** Where the native packages are named: the door, and lists of what is packed. */
const namesNative = new Set([
	'server/engine/runtime/nativePackages.ts',
	// These two ask where it lies.
	'server/engine/devices/providers.ts',
	'server/engine/runtime/library.ts',
	'scripts/compiledParts.mjs',
	'scripts/compiledParts.mjs',
	'scripts/nativeFiles.mjs',
	'scripts/notices.mjs',
	'test/architecture.test.ts',
	'test/cli/fallback.process.test.ts',
	// The library as it is when nobody turns its telemetry off.
	'test/daemon/talkingLibrary.cjs',
	// Loads llama.cpp's library by hand, for what tests compare with.
	'test/fixtures/ggml/make.mjs',
	'test/scripts/notices.process.test.ts',
	'test/packages/commandLine.process.test.ts',
	// Names what it leaves to the door.
	'test/packages/imports.process.test.ts',
	'test/scripts/nativeFiles.process.test.ts',
]);
const opensLibraries = new Set([
	'server/engine/runtime/confine.ts',
	'server/engine/runtime/capi.ts',
	'server/engine/runtime/fileMapping.ts',
	'server/engine/runtime/kernelLibrary.ts',
	'server/engine/runtime/processMemory.ts',
	'test/architecture.test.ts',
	'test/fixtures/ggml/make.mjs',
]);

test('ONNX Runtime comes into a process by the one door that turns its telemetry off', () => {
	const everything = ['server', 'extension', 'webview', 'bench', 'scripts', 'test'].flatMap(
		(folder) => sources(folder, /\.([cm]?[jt]s|tsx)$/),
	);
	assert.ok(everything.some(({ path }) => path === 'bench/workers/plainLoop.ts'));
	const wrong: string[] = [];
	for (const { path, text } of everything) {
		// Types do not open anything.
		const code = text
			.replace(/import type [^;]*;/g, '')
			.replace(/typeof import\(['"][^'"]*['"]\)/g, '');
		const named = /['"`](onnxruntime-node|koffi)(?=['"`/])/.test(code);
		if (named && !namesNative.has(path)) wrong.push(`${path} names a native package`);
		if (/\bkoffi\w*\.load\(|\.dlopen\(/.test(code) && !opensLibraries.has(path))
			wrong.push(`${path} opens a library`);
	}
	assert.deepEqual(wrong, []);
	const door = everything.find(({ path }) => path === 'server/engine/runtime/nativePackages.ts');
	const requires = [...(door?.text.matchAll(/\brequire\(/g) ?? [])];
	assert.equal(requires.length, 1, 'the door has one place that loads');
	assert.match(door?.text ?? '', /disableTelemetry\(\);\n\ttry \{\n\t\treturn require\(name\)/);
});

/** Who may open files by himself where models are handled, and what he reads with that. */
const readsFiles: Readonly<Record<string, string>> = {
	'server/hub/modelData/readModelFile.ts': 'files of models, as names and limits allow it',
	'server/hub/archive.ts': 'how much a packed archive says it holds',
	'server/hub/tarReader.ts': 'archives, by entries and bytes',
	'server/hub/downloadStudent.ts': 'writes only',
	'server/hub/manifest.ts': 'writes only',
	'server/hub/moveModels.ts': 'moves whole folders of this program',
	'server/hub/partFile.ts': 'downloads that are under way',
	'server/hub/refresh.ts': 'the catalogue of this program',
	'server/engine/build/buildModel.ts': 'writes only',
	'server/engine/build/journal.ts': 'how far a build of this program has come',
	'server/engine/build/measure/referenceState.ts': 'how far a build of this program has come',
	'server/engine/devices/system.ts': 'what the system says of devices',
	'server/engine/grammar/xgrammarModule.ts': 'a part of this program',
	'server/engine/onnx/optimizeGraph.ts': 'writes only',
	'server/engine/vision/decodeImage.ts': 'a part of this program',
	'server/engine/runtime/confine.ts': 'nothing: it names folders to the system',
	'server/engine/runtime/kernelLibrary.ts': 'a part of this program',
	'server/engine/runtime/nativePackages.ts': 'a part of this program',
	'server/engine/runtime/threads.ts': 'what the system says of processors',
	'server/services/mcpTools.ts': 'recordings that the owner names',
	'server/services/importModel.ts': 'copies what an import has checked',
	'server/services/translate/translateSystems.ts': 'glossaries of this program',
	'server/services/speech/waveform.ts': 'writes only',
};
const opening =
	/^(readFile|open|createReadStream|openAsBlob|cp|copyFile|readv?|glob)(Sync)?$|^(openPath(Now)?|readPath(Text|Bytes)|copyPath)$|^(default|\*|promises)$/;

/** Names that a file takes from Node's file system and from the module that waits for it; types do not open anything. */
function takenFromFs({ text }: Source): string[] {
	const statements = text.matchAll(
		/import\s+(?!type\b)([^;'"]*?)\s+from\s+['"](?:(?:node:)?fs(?:\/promises)?|[./]*\/store\/openPath\.ts)['"]/g,
	);
	return [...statements].flatMap(([, names = '']) =>
		names.includes('{')
			? names
					.replace(/[{}]/g, '')
					.split(',')
					.map((name) => name.trim().split(' as ')[0] ?? '')
					.filter((name) => name !== '' && !name.startsWith('type '))
			: ['default'],
	);
}

test('files of models are opened by the one door that knows names and limits', () => {
	const wrong: string[] = [];
	const isUsed = new Set<string>();
	for (const source of all) {
		const handlesModels = /^server\/(engine|hub|services)\//.test(source.path);
		const namesThem = imports(source).some((name) => name.endsWith('/modelFile.ts'));
		if (!handlesModels && !namesThem) continue;
		const taken = takenFromFs(source).filter((name) => opening.test(name));
		if (/require\(\s*['"](node:)?fs|import\(\s*['"](node:)?fs|getBuiltinModule/.test(source.text))
			taken.push('fs, when it runs');
		if (taken.length === 0) continue;
		if (source.path in readsFiles) isUsed.add(source.path);
		else wrong.push(`${source.path} takes ${taken.join(', ')} of the file system`);
	}
	assert.deepEqual(wrong, []);
	assert.deepEqual(
		Object.keys(readsFiles).filter((path) => !isUsed.has(path)),
		[],
		'no longer needed in the list',
	);
});

/** Files of the contract that take a package, and which. */
const protocolPackages: Readonly<Record<string, string>> = {
	'server/protocol/sse.ts': 'eventsource-parser',
};

test('server/protocol imports nothing from outside its folder but a reader of events, and its routes zod alone', () => {
	for (const source of all.filter((file) => file.path.startsWith('server/protocol/'))) {
		const inRoutes = source.path.startsWith('server/protocol/routes/');
		for (const specifier of imports(source)) {
			if (inRoutes && specifier === 'zod') continue;
			if (protocolPackages[source.path] === specifier) continue;
			const path = target(source, specifier) ?? specifier;
			assert.match(path, /^server\/protocol\//, `${source.path} imports ${specifier}`);
		}
	}
});

test('pages, the editor’s side and what they share with the server take types of the routes and no schemas', () => {
	const schemas = /['"](?:[^'"]*\/)?routes\/[^'"]*['"]|['"]zod['"]/;
	const bare = /^(?:webview|extension|server\/protocol)\/(?!routes\/)/;
	for (const source of all.filter((file) => bare.test(file.path)))
		for (const line of source.text.split(';\n').filter((each) => schemas.test(each)))
			assert.match(line, /\n?(?:import|export) type [^;]*$/, `${source.path}: ${line.trim()}`);
});

test('extension and webview know only the protocol of the server, and the extension how files are kept', () => {
	for (const source of all.filter((file) => !file.path.startsWith('server/'))) {
		for (const specifier of imports(source)) {
			const path = target(source, specifier);
			const known = source.path.startsWith('extension/')
				? /^server\/(protocol|store)\//
				: /^server\/protocol\//;
			if (path?.startsWith('server/')) assert.match(path, known, `${source.path} imports ${path}`);
			if (source.path.startsWith('webview/') && path?.startsWith('extension/'))
				assert.fail(`${source.path} imports ${path}`);
			if (source.path.startsWith('extension/') && path?.startsWith('webview/'))
				assert.equal(path, 'webview/protocol.ts', `${source.path} imports ${path}`);
		}
	}
});

test('no source file is longer than 400 lines and the median is at most 110', () => {
	const long = all.filter((file) => file.lines > 400).map((file) => `${file.path}: ${file.lines}`);
	assert.deepEqual(long, []);
	const sorted = all.map((file) => file.lines).sort((a, b) => a - b);
	const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
	assert.ok(median <= 110, `the median is ${median}`);
});

test('the sources use no any, no default export, no enum, no namespace and no decorator', () => {
	const wrong: string[] = [];
	for (const source of all) {
		source.text.split('\n').forEach((line, index) => {
			const code = line.replace(/\/\/.*$/, '').replace(/^\s*\*.*$/, '');
			if (
				/:\s*any\b(?!\s*[a-z])|\bas any\b|<any>/.test(code) ||
				/^\s*(export default|export enum|enum |namespace |@[a-z]+\()/.test(code)
			)
				wrong.push(`${source.path}:${index + 1} ${line.trim()}`);
		});
	}
	assert.deepEqual(wrong, []);
});

/** Who hands the process's streams on: the start of a command, which wraps them. */
const opensTerminal = new Set(['server/cli/command.ts']);
/** Whose output is a protocol between programs. */
const speaksProtocol = new Set(['server/cli/mcpCommand.ts', 'server/cli/terminal.ts']);

test('one writer puts text on a terminal; nothing else writes to standard output or error', () => {
	const wrong: string[] = [];
	for (const { path, text } of all) {
		if (/\bprocess\.(stdout|stderr)\b/.test(text) && !opensTerminal.has(path))
			wrong.push(`${path} takes a stream of the process`);
		// Of pages and of the editor's extension it goes to the developer's tools.
		if (path.startsWith('server/') && /(?<![.\w'"])console\s*[.[]/.test(text))
			wrong.push(`${path} writes to the console`);
		if (/\bforProgram\(/.test(text) && !speaksProtocol.has(path))
			wrong.push(`${path} goes round the filter of the terminal`);
		if (/\bwriteSync\(\s*[12]\b|\/dev\/(tty|stdout|stderr)\b/.test(text))
			wrong.push(`${path} writes to a terminal by its number or name`);
	}
	assert.deepEqual(wrong, []);
	const command = all.find(({ path }) => path === 'server/cli/command.ts');
	assert.equal(command?.text.match(/new TerminalWriter\(process\.std(out|err)\)/g)?.length, 2);
	const sequences = sources('server/cli').filter(({ text }) => /\\u001b|\\x1b/.test(text));
	assert.deepEqual(
		sequences.map(({ path }) => path),
		['server/cli/terminal.ts'],
		'sequences of our own are added after the filter',
	);
});

test('folders are made by server/store/makeFolder.ts, which returns on every file system', () => {
	const wrong = all.filter(
		({ path, text }) =>
			path.startsWith('server/') && /\bmkdir(?:Sync)?\([^;]*recursive: true/.test(text),
	);
	assert.deepEqual(
		wrong.map(({ path }) => path),
		[],
	);
});

test("the system's temp folder is asked for in one place: what is on its way lies below the data folder", () => {
	const asks = /\btmpdir\b|\bTE?MP(?:DIR)?\b['"]\]|['"`]\/tmp\b/;
	assert.deepEqual(
		all.filter(({ text }) => asks.test(text)).map(({ path }) => path),
		[
			'server/daemon/machine.ts',
			// A socket's path must be short.
			'server/daemon/socketPath.ts',
			// Looks where a library once left files.
			'server/daemon/telemetryFiles.ts',
		],
	);
});

test('files that a command is told to write come from the one door that keeps links, modes and devices', () => {
	const writers = all
		.filter(({ path }) => path.startsWith('server/cli/'))
		.filter(({ text }) =>
			/import \{[^}]*\b(?:writeFile|writeFileSync|movePath)\b[^}]*\} from/.test(text),
		)
		.map(({ path }) => path);
	assert.deepEqual(writers, ['server/cli/outputFile.ts']);
});

test('pages keep what they keep in the browser by the one door that knows whose it is', () => {
	const reaching = all.filter(
		({ path, text }) =>
			path.startsWith('webview/') &&
			/\b(localStorage|sessionStorage|indexedDB|caches|cookieStore|document\.cookie)\b/.test(text),
	);
	assert.deepEqual(
		reaching.map(({ path }) => path),
		['webview/chatShelf.ts', 'webview/ownStore.ts'],
	);
});

test('a file goes into a form by the one function that knows which names a header may hold', () => {
	const writing = all.filter(({ text }) => /\.(set|append)\(\s*['"]file['"]|new File\(/.test(text));
	assert.deepEqual(
		writing.map(({ path }) => path),
		['server/protocol/formFile.ts'],
	);
});

/** Who reads the clock on the wall, which people and machines set, and why: nothing here is measured with it. */
const readsTheDate: ReadonlyMap<string, string> = new Map([
	['server/daemon/jobsBackend.ts', 'when batches were made and when they are over'],
	['server/daemon/answersBackend.ts', 'when responses were made'],
	['server/services/responses/redisAnswers.ts', 'when responses were made'],
	['server/cli/batchShards.ts', 'the same, without a server'],
	['server/cli/batchRun.ts', 'ids of batches have dates'],
	[
		'extension/account/authProvider.ts',
		'when sessions end is told by servers and kept for other windows',
	],
	['extension/account/pending.ts', 'what was begun is kept for other windows and later starts'],
	['extension/createExtension.ts', 'compared with the times of files'],
	['extension/chat/chatActions.ts', 'chats are listed by the days they are from'],
	['extension/chat/chatPageController.ts', 'shown and kept with a chat'],
	['extension/chat/chatStore.ts', 'when a chat was deleted is kept for other windows'],
	['extension/transcripts/unsentRecordings.ts', 'compared with the times of files'],
	['server/jobs/removeJobs.ts', 'compared with the times of batches'],
	['server/services/shared/sharedOrders.ts', 'times of the store as this replica says them'],
	['extension/chat/agent/changesFile.ts', 'how long a tool may run is kept for other windows'],
	['webview/chatShelf.ts', 'when a chat was deleted is kept for other tabs'],
	['server/cli/gatewayCommand.ts', 'sessions, tokens and keys have dates that other machines read'],
	['server/cli/gatewaySessions.ts', 'sessions and keys have dates that other machines read'],
	['server/cli/keysCommand.ts', 'shown and kept with a key'],
	['server/cli/usageCommand.ts', 'keys end at dates'],
	['server/daemon/backend.ts', 'shown and kept with a response'],
	['server/daemon/daemon.ts', 'shown, and compared with the times of files'],
	['server/daemon/personOrders.ts', 'compared with the times of orders'],
	['server/daemon/modelBackend.ts', 'kept with the catalogue'],
	['server/daemon/peopleBackend.ts', 'keys end at dates, and usage has days'],
	['server/daemon/translateBackend.ts', 'tokens have dates'],
	['server/engine/template/chatTemplate.ts', 'a template may write the date'],
	['server/gateway/providers/oauth1.ts', 'a signature has a date'],
	['server/gateway/store/sqliteStore.ts', 'entries end at dates, also after a restart'],
	['server/http/app.ts', 'ids of refused requests hold the minute'],
	['server/http/chatRoutes.ts', 'shown'],
	['server/http/completionRoutes.ts', 'shown'],
	['server/http/guard.ts', 'a signed word has a date'],
	['server/http/limitHeaders.ts', 'shown'],
	['server/http/modelListRoutes.ts', 'shown'],
	['server/http/ollama/ollamaGenerationRoutes.ts', 'shown'],
	['server/http/ollama/ollamaModelRoutes.ts', 'shown'],
	['server/http/translate/documentBatchRoutes.ts', 'shown to its owner'],
	['server/http/translate/documentItems.ts', 'shown to its owner'],
	['server/http/translate/documentOperation.ts', 'shown in the id of a request'],
	['server/jobs/documentService.ts', 'a part of the names of files'],
	['server/http/translate/translateRoutes.ts', 'shown in the id of a request'],
	['server/hub/downloadModel.ts', 'kept with a model'],
	['server/hub/repository.ts', 'a server names a date to wait for'],
	['server/lsp/workspace/folderIndex.ts', 'part of a name of a file'],
	['server/lsp/workspace/workspaceIndexes.ts', 'compared with the times of files'],
	['server/remote/hostedErrors.ts', 'a server names a date to wait for'],
	['server/services/responses/answerWorker.ts', 'what is kept ends at dates, also after a restart'],
	['server/store/jsonFile.ts', 'part of a name of a file'],
	['server/store/lock.ts', 'the time of a file'],
	['server/store/sqliteFile.ts', 'part of a name of a file'],
	['webview/chatList.tsx', 'chats stand under the day they are of'],
	['webview/studioHost.ts', 'shown and kept with a chat'],
	['webview/transcribePage.tsx', 'part of a name of a file'],
]);

test('what is measured is measured with a clock that nobody sets; the date is read where one is wanted', () => {
	const reading = all.filter(({ text }) =>
		/\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(\)/.test(text),
	);
	assert.deepEqual(reading.map(({ path }) => path).sort(), [...readsTheDate.keys()].sort());
});
