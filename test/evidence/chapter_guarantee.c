#include "evidence.h"
void ev_chapter_guarantee(void){}
