// A place to drop files on, or to choose them by keyboard. They go to this server and nowhere else.
export default {
  template: `
    <div class="drop" :class="{ over }" @dragover.prevent="over = true" @dragleave="over = false"
         @drop.prevent="dropped">
      <label>
        <input type="file" :multiple="multiple" :disabled="sending" @change="chosen">
        <span class="choose">{{ words }}</span>
        <span class="quiet small">{{ hint }}</span>
      </label>
      <div v-if="sending" class="bar">
        <progress max="1" :value="share" :aria-label="'Taking ' + name"></progress>
        <span class="small" aria-hidden="true">{{ Math.floor(share * 100) }} %</span>
        <button type="button" class="plain" @click="cancel">Stop</button>
      </div>
      <p v-if="problem" class="note bad" role="alert">{{ problem }}</p>
    </div>`,
  props: { purpose: String, words: String, hint: String, multiple: Boolean, most: Number, limit: String },
  data: () => ({ over: false, sending: false, share: 0, name: "", problem: "" }),
  mounted() {
    // A file that misses the place must not take the browser to another page.
    this.kept = (event) => event.preventDefault();
    for (const kind of ["dragover", "drop"]) window.addEventListener(kind, this.kept);
  },
  unmounted() {
    for (const kind of ["dragover", "drop"]) window.removeEventListener(kind, this.kept);
    this.cancel();
  },
  methods: {
    dropped(event) {
      this.over = false;
      if (!this.sending) this.send([...event.dataTransfer.files]);
    },
    chosen(event) {
      const files = [...event.target.files];
      event.target.value = ""; // the same file can be chosen again
      this.send(files);
    },
    cancel() {
      if (this.request) this.request.abort();
    },
    async send(files) {
      this.problem = "";
      this.sending = true;
      let sent = 0;
      for (const file of this.multiple ? files : files.slice(0, 1)) {
        this.problem = await this.sendOne(file);
        if (this.problem) break;
        sent += 1;
      }
      this.sending = false;
      if (sent) this.$emit("sent");
    },
    sendOne(file) {
      if (file.size > this.most) return Promise.resolve(this.limit);
      this.name = file.name;
      this.share = 0;
      return new Promise((done) => {
        const request = (this.request = new XMLHttpRequest());
        request.upload.onprogress = (event) => (this.share = event.total ? event.loaded / event.total : 0);
        request.onload = () => done(request.status === 200 ? "" : request.responseText);
        request.onerror = () => done("The file could not be read or taken. Try again.");
        request.onabort = () => done("Stopped. Nothing of the file was kept.");
        request.open("POST", "/uploads/" + this.purpose);
        request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
        request.setRequestHeader("Content-Type", "application/octet-stream");
        request.send(file);
      });
    },
  },
};
