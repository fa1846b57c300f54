static void tq_flush_helper(void)
{
	__flush_tlb_all();
}
int tq_value_0;
int tq_value_1;
int tq_value_2;
int tq_value_3;
int tq_value_4;
int tq_value_5;
int tq_value_6;
int tq_value_7;
int tq_value_8;
int tq_value_9;
int tq_value_10;
int tq_value_11;
int tq_value_12;
int tq_value_13;
int tq_value_14;
int tq_value_15;
int tq_value_16;
int tq_value_17;
int tq_value_18;
int tq_value_19;
int tq_value_20;
int tq_value_21;
int tq_value_22;
int tq_value_23;
int tq_value_24;
int tq_value_25;
int tq_value_26;
int tq_value_27;
int tq_value_28;
int tq_value_29;
void tq_switch(struct mm_struct *mm)
{
	flush_tlb_mm(mm);
	tq_total += tq_step;
	tq_last = tq_total;
}
