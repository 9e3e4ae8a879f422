/** A process that downloads one model, says how much it has, and can be killed: `node downloadChild.ts URL FOLDER`. */

import { downloadModelFiles } from '../../server/hub/downloadModel.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { selectFiles } from '../../server/hub/selectModelFiles.ts';

const [url = '', folder = ''] = process.argv.slice(2);
const http = createHubHttp({ endpoint: url });
const { signal } = new AbortController();
const repository = await readRepository(http, 'acme/tiny', 'main', signal);
const selection = selectFiles(repository.files, { device: 'CPU' });
const job = downloadModelFiles(
	http,
	{
		modelsFolder: folder,
		folderName: 'acme--tiny',
		repository: 'acme/tiny',
		commit: repository.commit,
		selection,
		manifest: { id: 'tiny:1', name: 'tiny', version: '1', alias: 'tiny', displayName: 'Tiny' },
	},
	signal,
);
for await (const event of job)
	if (event.type === 'progress') process.stdout.write(`${event.progress.doneBytes}\n`);
http.close();
