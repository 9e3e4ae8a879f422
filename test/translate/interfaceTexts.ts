/** Labels and messages of programs in forty languages, ten each, as they stand alone in a file of messages. */

const rows = `
en|Open file|Save changes|Settings|Search|Cancel|Log in|Quit|Wrong password|Loading…|No results found
de|Datei öffnen|Änderungen speichern|Einstellungen|Suche|Abbrechen|Anmelden|Beenden|Falsches Passwort|Wird geladen…|Keine Ergebnisse gefunden
fr|Ouvrir le fichier|Enregistrer les modifications|Paramètres|Recherche|Annuler|Se connecter|Quitter|Mot de passe incorrect|Chargement…|Aucun résultat
es|Abrir archivo|Guardar cambios|Configuración|Buscar|Cancelar|Iniciar sesión|Salir|Contraseña incorrecta|Cargando…|No hay resultados
it|Apri file|Salva le modifiche|Impostazioni|Cerca|Annulla|Accedi|Esci|Password errata|Caricamento…|Nessun risultato
pt|Abrir arquivo|Salvar alterações|Configurações|Pesquisar|Cancelar|Entrar|Sair|Senha incorreta|Carregando…|Nenhum resultado encontrado
nl|Bestand openen|Wijzigingen opslaan|Instellingen|Zoeken|Annuleren|Inloggen|Afsluiten|Onjuist wachtwoord|Laden…|Geen resultaten gevonden
sv|Öppna fil|Spara ändringar|Inställningar|Sök|Avbryt|Logga in|Avsluta|Fel lösenord|Läser in…|Inga resultat hittades
da|Åbn fil|Gem ændringer|Indstillinger|Søg|Annuller|Log ind|Afslut|Forkert adgangskode|Indlæser…|Ingen resultater fundet
nb|Åpne fil|Lagre endringer|Innstillinger|Søk|Avbryt|Logg inn|Avslutt|Feil passord|Laster inn…|Ingen resultater funnet
fi|Avaa tiedosto|Tallenna muutokset|Asetukset|Haku|Peruuta|Kirjaudu sisään|Lopeta|Väärä salasana|Ladataan…|Ei tuloksia
et|Ava fail|Salvesta muudatused|Seaded|Otsing|Loobu|Logi sisse|Välju|Vale parool|Laadimine…|Tulemusi ei leitud
lv|Atvērt failu|Saglabāt izmaiņas|Iestatījumi|Meklēt|Atcelt|Pieteikties|Iziet|Nepareiza parole|Notiek ielāde…|Nekas netika atrasts
lt|Atverti failą|Įrašyti pakeitimus|Nustatymai|Ieškoti|Atšaukti|Prisijungti|Išeiti|Neteisingas slaptažodis|Įkeliama…|Rezultatų nerasta
pl|Otwórz plik|Zapisz zmiany|Ustawienia|Szukaj|Anuluj|Zaloguj się|Zakończ|Nieprawidłowe hasło|Wczytywanie…|Brak wyników
cs|Otevřít soubor|Uložit změny|Nastavení|Hledat|Zrušit|Přihlásit se|Ukončit|Nesprávné heslo|Načítání…|Nic nebylo nalezeno
sk|Otvoriť súbor|Uložiť zmeny|Nastavenia|Hľadať|Zrušiť|Prihlásiť sa|Ukončiť|Nesprávne heslo|Načítava sa…|Nič sa nenašlo
hu|Fájl megnyitása|Változások mentése|Beállítások|Keresés|Mégse|Bejelentkezés|Kilépés|Hibás jelszó|Betöltés…|Nincs találat
ro|Deschide fișierul|Salvează modificările|Setări|Caută|Anulează|Autentificare|Ieșire|Parolă greșită|Se încarcă…|Niciun rezultat
hr|Otvori datoteku|Spremi promjene|Postavke|Pretraži|Odustani|Prijavi se|Izlaz|Pogrešna lozinka|Učitavanje…|Nema rezultata
sl|Odpri datoteko|Shrani spremembe|Nastavitve|Iskanje|Prekliči|Prijava|Izhod|Napačno geslo|Nalaganje…|Ni zadetkov
tr|Dosyayı aç|Değişiklikleri kaydet|Ayarlar|Ara|İptal|Oturum aç|Çıkış|Yanlış parola|Yükleniyor…|Sonuç bulunamadı
ca|Obre el fitxer|Desa els canvis|Configuració|Cerca|Cancel·la|Inicia la sessió|Surt|Contrasenya incorrecta|S'està carregant…|No s'ha trobat cap resultat
id|Buka berkas|Simpan perubahan|Pengaturan|Cari|Batal|Masuk|Keluar|Kata sandi salah|Memuat…|Tidak ada hasil
vi|Mở tệp|Lưu thay đổi|Cài đặt|Tìm kiếm|Hủy|Đăng nhập|Thoát|Mật khẩu không đúng|Đang tải…|Không tìm thấy kết quả
ru|Открыть файл|Сохранить изменения|Настройки|Поиск|Отмена|Войти|Выход|Неверный пароль|Загрузка…|Ничего не найдено
uk|Відкрити файл|Зберегти зміни|Налаштування|Пошук|Скасувати|Увійти|Вихід|Неправильний пароль|Завантаження…|Нічого не знайдено
bg|Отваряне на файл|Запазване на промените|Настройки|Търсене|Отказ|Вход|Изход|Грешна парола|Зареждане…|Няма намерени резултати
sr-Cyrl|Отвори датотеку|Сачувај измене|Подешавања|Претрага|Откажи|Пријави се|Излаз|Погрешна лозинка|Учитавање…|Нема резултата
el|Άνοιγμα αρχείου|Αποθήκευση αλλαγών|Ρυθμίσεις|Αναζήτηση|Ακύρωση|Σύνδεση|Έξοδος|Λάθος κωδικός|Φόρτωση…|Δεν βρέθηκαν αποτελέσματα
he|פתיחת קובץ|שמירת שינויים|הגדרות|חיפוש|ביטול|התחברות|יציאה|סיסמה שגויה|טוען…|לא נמצאו תוצאות
ar|فتح ملف|حفظ التغييرات|الإعدادات|بحث|إلغاء|تسجيل الدخول|خروج|كلمة المرور غير صحيحة|جارٍ التحميل…|لا توجد نتائج
fa|باز کردن پرونده|ذخیره تغییرات|تنظیمات|جستجو|لغو|ورود|خروج|گذرواژه نادرست است|در حال بارگذاری…|نتیجه‌ای یافت نشد
hi|फ़ाइल खोलें|बदलाव सहेजें|सेटिंग|खोजें|रद्द करें|लॉग इन करें|बाहर निकलें|गलत पासवर्ड|लोड हो रहा है…|कोई परिणाम नहीं मिला
mr|फाइल उघडा|बदल जतन करा|सेटिंग्ज|शोधा|रद्द करा|लॉग इन करा|बाहेर पडा|चुकीचा पासवर्ड|लोड होत आहे…|कोणतेही परिणाम आढळले नाहीत
th|เปิดไฟล์|บันทึกการเปลี่ยนแปลง|การตั้งค่า|ค้นหา|ยกเลิก|เข้าสู่ระบบ|ออก|รหัสผ่านไม่ถูกต้อง|กำลังโหลด…|ไม่พบผลลัพธ์
ja|ファイルを開く|変更を保存|設定|検索|キャンセル|ログイン|終了|パスワードが違います|読み込み中…|結果が見つかりません
ko|파일 열기|변경 사항 저장|설정|검색|취소|로그인|종료|잘못된 비밀번호|불러오는 중…|검색 결과가 없습니다
zh-Hans|打开文件|保存更改|设置|搜索|取消|登录|退出|密码错误|正在加载…|未找到结果
zh-Hant|開啟檔案|儲存變更|設定|搜尋|取消|登入|結束|密碼錯誤|載入中…|找不到結果
`;

/** Language and texts. */
export const interfaceTexts: readonly (readonly [language: string, texts: readonly string[]])[] =
	rows
		.trim()
		.split('\n')
		.map((row) => {
			const [language = '', ...texts] = row.split('|');
			return [language, texts] as const;
		});
