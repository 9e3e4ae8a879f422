/**
 * Words that short texts are made of (greetings, buttons, little words). A statistical model needs
 * a sentence; one of these is as good.
 */

const lists = {
	en: 'in on it be a to hello hi world yes no cancel save saved open close file files settings the and is are not please thanks good morning name delete edit search help new next back of with for what this that you error your log login password wrong found results loading changes quit exit sign account user update download show hide all select copy paste cut undo redo view tools window about today yesterday tomorrow',
	de: 'ein eine den dem dies es im auf von hallo welt ja nein abbrechen speichern öffnen schließen datei dateien einstellungen und ist nicht bitte danke guten tag morgen löschen bearbeiten suchen suche hilfe neu weiter zurück der die das mit für fehler keine anmelden abmelden beenden passwort kennwort benutzer konto ergebnisse gefunden geladen änderungen ansicht kopieren einfügen anzeigen ausblenden alle auswählen heute gestern vor',
	fr: 'ce une un du de que je vous dans pas ceci bonjour monde oui non annuler enregistrer ouvrir fermer fichier fichiers paramètres et est pas merci salut supprimer modifier rechercher recherche aide nouveau nouvelle suivant précédent le les des avec pour erreur aucun quitter connecter connexion déconnexion mot passe utilisateur compte résultat résultats trouvé chargement modifications affichage copier coller afficher masquer tout tous sélectionner hier demain dans',
	es: 'es una un esto de que no se por del hola mundo sí cancelar guardar abrir cerrar archivo archivos ajustes configuración gracias buenos días favor eliminar editar buscar búsqueda ayuda nuevo siguiente atrás el los las con para está error salir iniciar sesión contraseña incorrecta usuario cuenta resultados encontrado cargando cambios ver copiar pegar mostrar ocultar todo todos seleccionar hoy ayer mañana hace hay',
	it: 'è una un di che questo il della ciao mondo annulla salva apri chiudi impostazioni grazie buongiorno elimina modifica modifiche cerca ricerca aiuto nuovo nuova avanti indietro il gli con per sono errore nessun nessuno file esci accedi password errata utente account risultato risultati trovato caricamento visualizza copia incolla mostra nascondi tutto tutti seleziona oggi ieri domani fa non',
	pt: 'é uma um do da que isto no na em olá mundo cancelar salvar guardar fechar abrir arquivo arquivos ficheiro configurações definições obrigado obrigada bom dia não excluir eliminar editar pesquisar pesquisa ajuda novo próximo voltar os com para está erro sair entrar senha incorreta usuário utilizador conta nenhum resultado resultados encontrado carregando alterações ver copiar colar mostrar ocultar tudo todos selecionar hoje ontem amanhã há',
	nl: 'de een van is dit hallo wereld annuleren opslaan openen sluiten afsluiten bestand bestanden instellingen bedankt goedemorgen verwijderen bewerken zoeken hulp nieuw volgende terug het een met voor niet geen fout inloggen aanmelden uitloggen wachtwoord onjuist gebruiker resultaten gevonden laden wijzigingen weergave kopiëren plakken tonen verbergen alle alles selecteren vandaag gisteren morgen geleden over',
	id: 'selamat pagi siang malam apa kabar terima kasih batal simpan buka tutup berkas pengaturan setelan hapus cari pencarian bantuan baru dan tidak ada yang untuk masuk keluar sandi kata salah pengguna akun hasil memuat perubahan salin tempel tampilkan sembunyikan semua pilih hari ini kemarin besok lalu',
	ms: 'batalkan fail tetapan buang carian bantuan baharu dan tiada yang untuk log masuk keluar kata laluan pengguna akaun hasil memuatkan perubahan kemas kini paparkan sembunyikan semua pilih hari semalam esok lepas',
	sv: 'hej världen avbryt spara öppna stäng inställningar tack ta bort sök hjälp ny nytt nästa tillbaka och är inte för fel fil filer logga avsluta lösenord användare konto inga resultat hittades läser laddar ändringar visa kopiera klistra dölj alla välj idag igår imorgon sedan om',
	da: 'hej verden annuller gem åbn luk indstillinger tak slet søg hjælp ny næste tilbage og er ikke fejl fil filer log ind ud afslut adgangskode forkert bruger konto ingen resultater fundet indlæser ændringer vis kopier sæt skjul alle vælg dag går morgen siden om',
	nb: 'hei verden avbryt lagre åpne lukk innstillinger takk slett søk hjelp ny neste tilbake og er ikke feil fil filer logg inn ut avslutt passord bruker konto ingen resultater funnet laster endringer vis kopier lim skjul alle velg dag går morgen siden om',
	fi: 'hei maailma peruuta tallenna avaa sulje asetukset kiitos poista etsi haku ohje uusi seuraava edellinen takaisin ja ei virhe tiedosto kirjaudu sisään ulos lopeta salasana väärä käyttäjä tili tuloksia löytynyt ladataan muutokset näytä kopioi liitä piilota kaikki valitse tänään eilen huomenna sitten',
	et: 'tere maailm loobu tühista salvesta ava sulge seaded aitäh kustuta otsi otsing abi uus järgmine tagasi ja ei viga fail faili logi sisse välju parool vale kasutaja konto tulemusi leitud laadimine muudatused vaata kopeeri kleebi näita peida kõik vali täna eile homme eest pärast',
	lv: 'sveiki pasaule atcelt saglabāt atvērt aizvērt iestatījumi paldies dzēst meklēt palīdzība jauns nākamais atpakaļ un nav kļūda fails failu pieteikties ieiet iziet parole nepareiza lietotājs konts rezultāti nekas atrasts notiek ielāde izmaiņas skats kopēt ielīmēt rādīt slēpt visi izvēlēties šodien vakar rīt pirms pēc',
	lt: 'labas pasauli atšaukti įrašyti išsaugoti atidaryti atverti užverti uždaryti nustatymai ačiū ištrinti pašalinti ieškoti paieška pagalba naujas kitas atgal ir nėra klaida failas failą prisijungti atsijungti išeiti slaptažodis neteisingas naudotojas paskyra rezultatų nerasta įkeliama pakeitimai rodinys kopijuoti įdėti rodyti slėpti visi pasirinkti šiandien vakar rytoj prieš po',
	pl: 'cześć świat anuluj zapisz otwórz zamknij ustawienia dziękuję usuń szukaj pomoc nowy dalej wstecz jest nie błąd plik pliki zaloguj wyloguj się zakończ hasło nieprawidłowe użytkownik konto brak wyników wczytywanie ładowanie zmiany widok kopiuj wklej pokaż ukryj wszystko wybierz dzisiaj wczoraj jutro temu za',
	cs: 'ahoj svět zrušit storno uložit otevřít zavřít nastavení děkuji smazat odstranit hledat nápověda nový další zpět je není chyba soubor soubory přihlásit odhlásit se ukončit heslo nesprávné uživatel účet nic nebylo nalezeno načítání změny zobrazit kopírovat vložit skrýt vše vybrat dnes včera zítra před za',
	sk: 'ahoj svet zrušiť uložiť otvoriť zavrieť nastavenia ďakujem odstrániť vymazať hľadať pomocník nový ďalej späť je nie chyba súbor súbory prihlásiť odhlásiť sa ukončiť heslo nesprávne používateľ účet nič nenašlo žiadne výsledky načítava zmeny zobraziť kopírovať prilepiť skryť všetko vybrať dnes včera zajtra pred',
	sl: 'pozdravljen svet prekliči shrani odpri zapri nastavitve hvala izbriši išči iskanje pomoč nov naprej nazaj in ni napaka datoteka datoteko prijava odjava izhod geslo napačno uporabnik račun zadetkov rezultatov nalaganje spremembe pogled kopiraj prilepi pokaži skrij vse izberi danes včeraj jutri pred čez',
	hr: 'bok svijet odustani spremi otvori zatvori postavke hvala izbriši pretraži pretraga pomoć novi sljedeće natrag nije greška pogreška datoteka datoteku prijavi prijava odjava se izlaz lozinka pogrešna korisnik račun nema rezultata učitavanje promjene prikaz kopiraj zalijepi prikaži sakrij sve odaberi danas jučer sutra prije za',
	'sr-Latn':
		'zdravo svet otkaži sačuvaj otvori zatvori podešavanja hvala izbriši pretraga pomoć novi sledeće nazad nije greška datoteka datoteku prijavi se izlaz lozinka pogrešna korisnik nalog nema rezultata učitavanje izmene prikaži sakrij sve izaberi danas juče sutra pre za',
	hu: 'helló világ mégse mégsem mentés mentése megnyitás megnyitása bezárás beállítások köszönöm törlés keresés súgó új következő vissza és nem hiba fájl bejelentkezés kijelentkezés kilépés jelszó hibás felhasználó fiók nincs találat betöltés változások módosítások nézet másolás beillesztés megjelenítés elrejtés összes kiválasztás ma tegnap holnap ezelőtt múlva',
	ro: 'bună lume anulează salvează deschide închide setări mulțumesc șterge caută căutare ajutor nou următorul înapoi și este nu eroare fișier fișierul autentificare conectare ieșire parolă parola greșită utilizator cont niciun nicio rezultat rezultate încarcă modificările vizualizare copiază lipește afișează ascunde tot toate selectează azi ieri mâine acum peste',
	tr: 'merhaba dünya iptal kaydet aç kapat ayarlar teşekkürler sil ara arama yardım yeni ileri geri ve değil hata dosya dosyayı oturum giriş çıkış parola şifre yanlış kullanıcı hesap sonuç bulunamadı yükleniyor değişiklikleri görünüm kopyala yapıştır göster gizle tümü seç bugün dün yarın önce sonra',
	ca: 'hola món cancel·la desa obre tanca configuració preferències gràcies suprimeix edita cerca ajuda nou següent enrere els amb per error fitxer inicia sessió surt contrasenya incorrecta usuari compte cap resultat trobat carregant els canvis visualitza copia enganxa mostra amaga tot selecciona avui ahir demà',
	vi: 'xin chào thế giới hủy lưu mở đóng cảm ơn xóa tìm kiếm trợ giúp mới không và lỗi tệp tin cài đặt thoát đăng nhập xuất mật khẩu người dùng tài khoản kết quả đang tải thay đổi xem sao chép dán hiển thị ẩn tất cả chọn hôm nay qua mai trước sau',
	ru: 'привет мир да нет отмена сохранить открыть закрыть файл файлы настройки спасибо удалить поиск помощь справка новый далее назад и не ошибка войти вход выйти выход пароль неверный пользователь аккаунт ничего найдено результатов загрузка изменения вид копировать вставить показать скрыть все выбрать сегодня вчера завтра через',
	uk: 'привіт світ так ні скасувати зберегти відкрити закрити дякую видалити пошук допомога довідка новий далі назад і не помилка файл налаштування увійти вийти вихід пароль неправильний користувач обліковий нічого знайдено результатів завантаження зміни вигляд копіювати вставити показати сховати всі вибрати сьогодні вчора завтра тому через',
	bg: 'здравей свят отказ запазване запази отваряне отвори затваряне затвори настройки благодаря изтриване търсене помощ нов напред назад и не грешка файл на вход влизане изход парола грешна потребител профил няма намерени резултати зареждане промените промени изглед копиране поставяне покажи скрий всички избор днес вчера утре преди след',
	'sr-Cyrl':
		'здраво свет откажи сачувај отвори затвори подешавања хвала избриши претрага помоћ нови следеће назад није грешка датотека датотеку пријави одјави се излаз лозинка погрешна корисник налог нема резултата учитавање измене приказ копирај налепи прикажи сакриј све изабери данас јуче сутра пре за',
	mk: 'здраво свет откажи зачувај отвори затвори поставки благодарам избриши пребарај пребарување помош нов следно назад не грешка датотека најави одјави се излез лозинка погрешна корисник сметка нема резултати вчитување промени приказ копирај залепи прикажи скриј сите избери денес вчера утре пред за',
	fa: 'سلام دنیا بله خیر لغو ذخیره باز کردن بستن پرونده تنظیمات متشکرم حذف جستجو جست‌وجو راهنما جدید بعدی قبلی و نیست است خطا ورود خروج گذرواژه رمز عبور نادرست کاربر حساب نتیجه‌ای یافت نشد در حال بارگذاری تغییرات نمایش رونوشت چسباندن پنهان همه انتخاب امروز دیروز فردا پیش',
	ar: 'مرحبا العالم نعم لا إلغاء حفظ فتح إغلاق ملف الملف الإعدادات إعدادات شكرا حذف بحث البحث مساعدة جديد التالي السابق رجوع و ليس خطأ تسجيل الدخول الخروج خروج كلمة المرور غير صحيحة مستخدم حساب لا توجد نتائج جارٍ التحميل التغييرات عرض نسخ لصق إظهار إخفاء الكل تحديد اليوم أمس غدًا قبل خلال',
	ur: 'محفوظ کریں کھولیں بند منسوخ ترتیبات تلاش مدد نیا نہیں ہے اور فائل داخل ہوں پاس ورڈ غلط کوئی نتائج حذف',
	hi: 'नमस्ते दुनिया धन्यवाद हाँ नहीं और है हैं खोलें सहेजें रद्द करें सेटिंग खोज खोजें मदद सहायता नया अगला पीछे त्रुटि फ़ाइल लॉग बाहर निकलें पासवर्ड गलत उपयोगकर्ता खाता कोई परिणाम मिला लोड हो रहा बदलाव देखें कॉपी चिपकाएँ दिखाएँ छिपाएँ सभी चुनें आज कल पहले में का की के',
	mr: 'नमस्कार जग धन्यवाद होय नाही आणि आहे आहेत उघडा जतन करा सेटिंग्ज शोधा शोध मदत नवीन पुढील मागे त्रुटी फाइल लॉग बाहेर पडा पासवर्ड चुकीचा वापरकर्ता खाते कोणतेही परिणाम आढळले नाहीत लोड होत बदल पहा कॉपी पेस्ट दर्शवा लपवा सर्व निवडा आज काल उद्या पूर्वी मध्ये रद्द चा ची चे',
	ne: 'नमस्ते संसार धन्यवाद छैन छ र खोल्नुहोस् बचत रद्द गर्नुहोस् सेटिङ खोज मद्दत नयाँ अर्को पछाडि त्रुटि फाइल',
	bn: 'খুলুন সংরক্ষণ বাতিল করুন সেটিংস অনুসন্ধান সহায়তা নতুন ত্রুটি ফাইল নেই এবং',
};

let byWord: ReadonlyMap<string, readonly string[]> | undefined;

/** Words → languages they are common in, of the lists and of what Unicode's tables say of time. */
function languagesOf(word: string): readonly string[] {
	byWord ??= readLists();
	return byWord.get(word) ?? [];
}

function readLists(): ReadonlyMap<string, readonly string[]> {
	const found = new Map<string, string[]>();
	for (const [language, list] of Object.entries(lists))
		for (const word of new Set([...list.split(' '), ...wordsOfTime(language)])) {
			const known = found.get(word);
			if (known) known.push(language);
			else found.set(word, [language]);
		}
	return found;
}

const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

/** Months, days, and what stands with numbers. */
function wordsOfTime(language: string): string[] {
	const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
	const days = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' });
	const texts = units.flatMap((unit) =>
		[-5, -1, 1, 2, 5].map((number) => relative.format(number, unit)),
	);
	for (let month = 0; month < 12; month++)
		texts.push(days.format(Date.UTC(2024, month, 1 + month)));
	return texts.flatMap(wordsIn);
}

const wordsIn = (text: string): string[] =>
	text
		.toLowerCase()
		.split(/[^\p{L}\p{M}·]+/u)
		.filter(Boolean);

/**
 * Share of a text's words that are common in each language, for texts of at most `limit` words.
 * Words that several languages share count for each of them in part.
 */
export function commonWordShares(text: string, limit = 5): ReadonlyMap<string, number> {
	const words = wordsIn(text);
	const shares = new Map<string, number>();
	if (words.length === 0 || words.length > limit) return shares;
	for (const word of words) {
		const languages = languagesOf(word);
		for (const language of languages)
			shares.set(language, (shares.get(language) ?? 0) + 1 / languages.length / words.length);
	}
	return shares;
}

/** Whether a text is only words that several languages have, so that it could as well be in another. */
export function isShared(text: string, language: string): boolean {
	const words = wordsIn(text);
	return (
		words.length > 0 && words.length <= 3 && commonTo(words).some((other) => other !== language)
	);
}

/** Languages in which each of the words is common. */
function commonTo([first, ...others]: readonly string[]): string[] {
	return languagesOf(first ?? '').filter((language) =>
		others.every((word) => languagesOf(word).includes(language)),
	);
}
